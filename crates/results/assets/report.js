// Adds to the static pictures, which stay as they are: values under the pointer or by the arrow keys, zoom of the picture
// itself by dragging, keys or a button, and a button that saves. Without this script the page is complete.
(function () {
  "use strict";
  var root = document.documentElement;

  function colour(name) {
    return getComputedStyle(root).getPropertyValue("--" + name).trim() || "#666";
  }

  function digits(v) {
    var a = Math.abs(v);
    return a >= 100 ? v.toFixed(0) : a >= 10 ? v.toFixed(1) : v.toFixed(2);
  }
  function trim(v, n) {
    return String(+v.toFixed(n));
  }
  function compact(v) {
    var a = Math.abs(v);
    return a >= 999500 ? trim(v / 1e6, 1) + "M" : a >= 999.5 ? trim(v / 1e3, 1) + "k"
      : a >= 10 ? trim(v, 0) : trim(v, 2);
  }
  function span(v, exact) {
    var u = v < 1e3 ? [1, " ns"] : v < 1e6 ? [1e3, " us"] : v < 1e9 ? [1e6, " ms"] : [1e9, " s"];
    return (exact ? digits(v / u[0]) : trim(v / u[0], 1)) + u[1];
  }
  function bytes(v) {
    var units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"], k = 0;
    while (v >= 1024 && k < 5) { v /= 1024; k++; }
    return trim(v, 2) + " " + units[k];
  }
  // Text of a value: short on an axis, exact in the legend.
  function text(unit, v, exact) {
    if (v == null || isNaN(v)) return "-";
    switch (unit) {
      case "ns": return span(v, exact);
      case "s": return trim(v, exact ? 3 : 2) + " s";
      case "mb": return exact ? digits(v) + " MB/s" : compact(v);
      case "bytes": return bytes(v);
      case "mib": return exact ? digits(v) + " MiB/s" : compact(v);
      case "nines": return "p" + trim(100 - 100 / v, v < 100 ? 1 : v < 1e4 ? 3 : 5);
      case "percent": return trim(v, 2) + " %";
      case "whole": return String(Math.round(v));
      default: return exact ? Math.round(v).toLocaleString("en") : compact(v);
    }
  }

  function logTicks(base, min, max) {
    var ticks = [], e, d, m;
    if (base === 2) {
      for (e = Math.ceil(Math.log2(min) - 1e-9); Math.pow(2, e) <= max * 1.001; e++) ticks.push(Math.pow(2, e));
      return ticks;
    }
    var span = Math.log10(max / min);
    var parts = span > 3 ? [1] : span > 0.6 ? [1, 2, 5] : [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
    for (e = Math.floor(Math.log10(min)); Math.pow(10, e) <= max * 1.001; e++) {
      d = Math.pow(10, e);
      for (m of parts) if (d * m >= min * 0.999 && d * m <= max * 1.001) ticks.push(d * m);
    }
    return ticks;
  }
  function linTicks(min, max) {
    var raw = (max - min) / 5, decade = Math.pow(10, Math.floor(Math.log10(raw))), ticks = [];
    var step = [1, 2, 2.5, 5, 10].find(function (m) { return m * decade >= raw * 0.999; }) * decade;
    for (var k = Math.ceil(min / step - 1e-9); k * step <= max * 1.0001 && ticks.length < 20; k++) ticks.push(k * step);
    return ticks;
  }
  // Ticks of a part of an axis: a logarithmic one of which little is left has those of a linear one.
  function ticksOf(side, min, max) {
    if (side.scale === "nines") return [2, 10, 100, 1e3, 1e4, 1e5, 1e6].filter(function (v) { return v >= min && v <= max; });
    if (side.scale === "lin") return linTicks(min, max);
    var all = logTicks(side.scale === "log2" ? 2 : 10, min, max);
    return all.length > 1 ? all : linTicks(min, max).filter(function (v) { return v > 0; });
  }

  // Ticks with their words, no two of them the same: of whole things there is nothing between, else more digits are said.
  function labelled(unit, all) {
    var words = [], digits;
    if (unit === "whole") all = all.filter(function (v) { return Math.abs(v - Math.round(v)) < 1e-6; });
    function differ() { return words.every(function (w, k) { return words.indexOf(w) === k; }); }
    words = all.map(function (v) { return text(unit, v, false); });
    for (digits = 3; digits < 7 && !differ(); digits++) {
      words = all.map(function (v) { return precise(unit, v, digits); });
    }
    return all.map(function (v, k) { return { v: v, words: words[k] }; })
      .filter(function (tick, k) { return words.indexOf(tick.words) === k; });
  }
  // The text of a value with so many significant digits.
  function precise(unit, v, digits) {
    var word = text(unit, v, false), at = word.search(/ ?[a-zA-Z%]+$/), tail = at < 0 ? "" : word.slice(at);
    var by = { "k": 1e3, "M": 1e6, " us": 1e3, " ms": 1e6 }[tail] || (unit === "ns" && tail === " s" ? 1e9 : 1);
    if (unit === "bytes") by = { " KiB": 1024, " MiB": 1048576, " GiB": 1073741824 }[tail] || 1;
    if (unit === "nines") return word;
    return +(v / by).toPrecision(digits) + tail;
  }

  // The scales and values of a picture; null where it has none.
  function dataOf(box) {
    var script = box.querySelector("script");
    return script && JSON.parse(script.textContent);
  }
  // Where a value lies in the picture, and the value at a place: by the scales of the static chart.
  function place(side, v) {
    var r = side.r, share = side.scale === "lin" ? (v - r[0]) / (r[1] - r[0])
      : Math.log(v / r[0]) / Math.log(r[1] / r[0]);
    return r[2] + Math.max(0, Math.min(1, share)) * (r[3] - r[2]);
  }
  function valueAt(side, px) {
    var r = side.r, share = (px - r[2]) / (r[3] - r[2]);
    return side.scale === "lin" ? r[0] + share * (r[1] - r[0]) : r[0] * Math.pow(r[1] / r[0], share);
  }

  function element(name, attributes, text) {
    var e = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.keys(attributes).forEach(function (k) { e.setAttribute(k, attributes[k]); });
    if (text) e.textContent = text;
    return e;
  }
  function one(v) { return +v.toFixed(1); }

  // Zoom of the picture itself: what is drawn moves along x, so that bands, marks and intervals stay what they are.
  function zoom(box, d) {
    var svg = box.querySelector("svg.chart"), r = d.x.r, lo = r[2], hi = r[3], from = lo, to = hi, parts = null, listeners = [];
    var ticks = svg.querySelector("g.ticks"), whole = ticks && ticks.innerHTML, id = svg.querySelector("title").id + "-clip";
    function f(x) { return lo + (x - from) * (hi - lo) / (to - from); }
    // What moves, with where it was.
    function collect() {
      var all = [];
      svg.querySelectorAll("g.moves > *").forEach(function (e) {
        var at = { e: e, kind: e.tagName };
        if (e.matches("path.dot")) {
          var b = e.getBBox();
          at.kind = "dot";
          at.x = b.x + b.width / 2;
        } else if (at.kind === "path") at.d = e.getAttribute("d");
        else if (at.kind === "circle") at.x = +e.getAttribute("cx");
        else if (at.kind !== "g") at.x = +e.getAttribute("x");
        if (at.kind === "rect") at.w = +e.getAttribute("width");
        all.push(at);
      });
      return all;
    }
    function path(d) {
      return d.replace(/([MLH])(-?[\d.]+)/g, function (all, c, x) { return c + one(f(+x)); });
    }
    function move(at) {
      var e = at.e, a = (hi - lo) / (to - from);
      if (at.kind === "dot") e.setAttribute("transform", "translate(" + one(f(at.x) - at.x) + " 0)");
      else if (at.kind === "path") e.setAttribute("d", path(at.d));
      else if (at.kind === "circle") e.setAttribute("cx", one(f(at.x)));
      else if (at.kind === "g") e.setAttribute("transform", "matrix(" + a + " 0 0 1 " + (lo - from * a) + " 0)");
      else e.setAttribute("x", one(f(at.x)));
      if (at.kind === "rect") e.setAttribute("width", one(at.w * a));
    }
    function axis() {
      if (!ticks) return;
      if (!zoomed()) { ticks.innerHTML = whole; return; }
      var floor = d.y.r[2], last = -1e9, min = valueAt(d.x, from), max = valueAt(d.x, to);
      ticks.textContent = "";
      labelled(d.x.unit, ticksOf(d.x, min, max)).forEach(function (tick) {
        var x = one(f(place(d.x, tick.v))), word = element("text", { y: floor + 16, "class": "tick mid" }, tick.words), half;
        ticks.appendChild(element("path", { "class": "axis", d: "M" + x + " " + floor + "v4" }));
        ticks.appendChild(word);
        half = word.getComputedTextLength() / 2;
        // The last one stays in the picture.
        x = Math.min(x, one(svg.viewBox.baseVal.width - 2 - half));
        if (x - half <= last + 4) { word.remove(); return; }
        word.setAttribute("x", x);
        last = x + half;
      });
    }
    function clip() {
      if (!document.getElementById(id)) {
        var p = element("clipPath", { id: id }), top = Math.min(d.y.r[2], d.y.r[3]), bottom = Math.max(d.y.r[2], d.y.r[3]);
        p.appendChild(element("rect", { x: lo - 4, y: top - 14, width: hi - lo + 8, height: bottom - top + 18 }));
        svg.appendChild(p);
      }
      svg.querySelectorAll("g.moves").forEach(function (g) {
        if (zoomed()) g.setAttribute("clip-path", "url(#" + id + ")");
        else g.removeAttribute("clip-path");
      });
    }
    // The name of a line stands where it leaves the part that is shown; of one that has nothing there it is hidden.
    function names() {
      var all = [], free = -1e9;
      svg.querySelectorAll("text.name[data-n]").forEach(function (e) {
        if (e.was == null) e.was = e.getAttribute("y");
        var y = zoomed() ? heightAt(svg.querySelector('path.line[data-n="' + e.dataset.n + '"]'), hi) : +e.was;
        e.style.visibility = y == null ? "hidden" : "";
        if (zoomed() && y != null) {
          var own = all.length && all[all.length - 1];
          if (own && own.n === e.dataset.n) own.es.push(e);
          else all.push({ n: e.dataset.n, y: y + 4, es: [e] });
        } else e.setAttribute("y", e.was);
      });
      all.sort(function (a, b) { return a.y - b.y; }).forEach(function (own) {
        var y = Math.max(own.y, free);
        own.es.forEach(function (e, k) { e.setAttribute("y", one(y + 11 * k)); });
        free = y + 1 + 11 * own.es.length;
      });
    }
    // Where a line is at x or last before it, in what is shown; null where it has nothing there.
    function heightAt(path, x) {
      var at = null, before = null, cx = 0, cy = 0;
      if (!path) return null;
      path.getAttribute("d").replace(/([MLHV])(-?[\d.]+)(?: (-?[\d.]+))?/g, function (all, c, a, b) {
        var px = cx, py = cy;
        if (c === "V") cy = +a; else cx = +a;
        if (b != null) cy = +b;
        if (c !== "M" && px < x && cx >= x && cx > px) at = py + (x - px) / (cx - px) * (cy - py);
        if (cx >= lo && cx <= x) before = cy;
      });
      return at == null ? before : at;
    }
    function zoomed() { return to - from < hi - lo - 0.01; }
    function set(a, b) {
      var least = (hi - lo) / 200, span = Math.min(hi - lo, Math.max(least, b - a));
      from = Math.max(lo, Math.min(hi - span, a));
      to = from + span;
      parts = parts || collect();
      parts.forEach(move);
      axis();
      names();
      clip();
      svg.classList.toggle("zoomed", zoomed());
      listeners.forEach(function (act) { act(zoomed()); });
    }
    return {
      at: f,
      was: function (x) { return from + (x - lo) * (to - from) / (hi - lo); },
      ends: function () { return [from, to]; },
      set: set,
      all: function () { set(lo, hi); },
      by: function (factor, x) {
        var mid = x == null ? (from + to) / 2 : x;
        set(mid - (mid - from) / factor, mid + (to - mid) / factor);
      },
      by_share: function (share) { set(from + share * (to - from), to + share * (to - from)); },
      show: function (x) {
        if (x < from || x > to) set(x - (to - from) / 2, x + (to - from) / 2);
      },
      onZoom: function (act) { listeners.push(act); }
    };
  }

  // What the keys of a picture do: its values one by one with the arrows, zoom with + and -, 0 for all of it.
  function keys(svg, view, count, show, hide, now) {
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("blur", hide);
    svg.addEventListener("keydown", function (e) {
      var step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[e.key], at = now();
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if (e.key === "Escape") {
        hide();
        if (view) view.all();
      }
      else if (view && (e.key === "+" || e.key === "=")) view.by(2, at.x);
      else if (view && e.key === "-") view.by(0.5, at.x);
      else if (view && e.key === "0") view.all();
      else if (view && e.shiftKey && step) view.by_share(step / 5);
      else if (count && e.key === "Home") show(0);
      else if (count && e.key === "End") show(count - 1);
      else if (count && step) show(at.k < 0 ? 0 : at.k + step);
      else return;
      e.preventDefault();
    });
  }

  // Dragging along x zooms to that part; a double click shows all.
  function drag(svg, view, d) {
    var begun = null, rect = element("rect", { "class": "select" });
    function x(e) {
      var b = svg.getBoundingClientRect(), at = (e.clientX - b.left) * svg.viewBox.baseVal.width / b.width;
      return Math.max(d.x.r[2], Math.min(d.x.r[3], at));
    }
    svg.addEventListener("pointerdown", function (e) {
      if (e.pointerType !== "touch" && e.button === 0) begun = x(e);
    });
    svg.addEventListener("pointermove", function (e) {
      if (begun == null) return;
      var at = x(e), top = Math.min(d.y.r[2], d.y.r[3]);
      rect.setAttribute("x", Math.min(at, begun));
      rect.setAttribute("width", Math.abs(at - begun));
      rect.setAttribute("y", top);
      rect.setAttribute("height", Math.abs(d.y.r[3] - d.y.r[2]));
      svg.appendChild(rect);
    });
    addEventListener("pointerup", function (e) {
      if (begun == null) return;
      var at = x(e), a = Math.min(at, begun), b = Math.max(at, begun);
      begun = null;
      rect.remove();
      if (b - a > 8) view.set(view.was(a), view.was(b));
    });
    svg.addEventListener("dblclick", view.all);
  }

  // A line at one x with the values of all series there.
  function cursor(box, d, out, view) {
    var svg = box.querySelector("svg.chart"), at = -1, line = element("path", { "class": "cursor" });
    function value(s) {
      var few = s.few != null && d.x.v[at] >= s.few ? "~" : "", w = s.w && s.w[at];
      var least = s.least && s.least.indexOf(d.x.v[at]) >= 0 ? ">= " : "";
      return s.label + " " + least + few + text(d.y.unit, s.y[at], true) +
        (w ? " (95 %: " + text(d.y.unit, w[0], true) + " to " + text(d.y.unit, w[1], true) + ")" : "");
    }
    function draw() {
      var x = view.at(place(d.x, d.x.v[at])).toFixed(1);
      line.setAttribute("d", "M" + x + " " + d.y.r[2] + "V" + d.y.r[3]);
      svg.appendChild(line);
    }
    function show(k) {
      at = Math.max(0, Math.min(d.x.v.length - 1, k));
      view.show(place(d.x, d.x.v[at]));
      draw();
      var values = d.s.filter(function (s) { return s.y[at] != null; }).map(value);
      out.textContent = text(d.x.unit, d.x.v[at], true) + ": " + (values.join(", ") || "-");
    }
    function hide() {
      at = -1;
      line.remove();
      out.textContent = "";
    }
    function near(e) {
      var r = svg.getBoundingClientRect(), x = (e.clientX - r.left) * svg.viewBox.baseVal.width / r.width;
      var best = -1, least = Infinity, ends = view.ends();
      d.x.v.forEach(function (v, k) {
        var p = place(d.x, v), far = Math.abs(view.at(p) - x);
        if (far < least && p >= ends[0] - 0.1 && p <= ends[1] + 0.1) { least = far; best = k; }
      });
      if (best >= 0) show(best);
    }
    svg.addEventListener("pointermove", near);
    svg.addEventListener("pointerleave", hide);
    view.onZoom(function () { if (at >= 0) draw(); });
    keys(svg, view, d.x.v.length, show, hide, function () {
      return { k: at, x: at < 0 ? null : place(d.x, d.x.v[at]) };
    });
  }

  // A heat map: the cell under the pointer, and from cell to cell by the arrow keys.
  function cells(box, d, out, view) {
    var svg = box.querySelector("svg.chart"), at = -1, row = 0, x = d.x.r, y = d.y.r;
    var wide = (x[3] - x[2]) / d.cells.length, high = (y[2] - y[3]) / d.rows;
    // A light line around a dark one: one of them is seen on any shade.
    var rings = ["cursor cell under", "cursor cell"].map(function (c) { return element("rect", { "class": c }); });
    function ios(k, r) {
      var c = d.cells[k];
      return c.length && r >= c[0] && c[r - c[0] + 1] || 0;
    }
    function all(k) { return d.cells[k].slice(1).reduce(function (a, b) { return a + b; }, 0); }
    function fullest(k) {
      for (var r = 0, best = 0; r < d.rows; r++) if (ios(k, r) > ios(k, best)) best = r;
      return best;
    }
    function draw() {
      var left = view.at(x[2] + at * wide), right = view.at(x[2] + (at + 1) * wide);
      rings.forEach(function (ring) {
        ring.setAttribute("x", one(left - 0.5));
        ring.setAttribute("width", one(Math.max(right - left, 1) + 1));
        ring.setAttribute("y", one(y[2] - (row + 1) * high - 0.5));
        ring.setAttribute("height", one(high + 1));
        svg.appendChild(ring);
      });
    }
    function time(k) { return text("s", valueAt(d.x, x[2] + k * wide), true); }
    function latency(r) { return text("ns", valueAt(d.y, y[2] - r * high), true); }
    function said() {
      var n = ios(at, row), total = all(at), from = row ? latency(row) + " to " : "up to ";
      return time(at) + " to " + time(at + 1) + ", " + from + latency(row + 1) + ": " +
        (n ? text("count", n, true) + (n === 1 ? " I/O (" : " I/Os (") + percent(n / total) + ")" : "no I/O");
    }
    function percent(share) { return share < 1e-4 ? "under 0.01 %" : +(share * 100).toPrecision(3) + " %"; }
    function show(k, r) {
      var first = at < 0;
      at = Math.max(0, Math.min(d.cells.length - 1, k));
      row = Math.max(0, Math.min(d.rows - 1, r != null ? r : first ? fullest(at) : row));
      view.show(x[2] + (at + 0.5) * wide);
      draw();
      out.textContent = said();
    }
    function hide() {
      at = -1;
      rings.forEach(function (ring) { ring.remove(); });
      out.textContent = "";
    }
    svg.addEventListener("pointermove", function (e) {
      var b = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / b.width;
      var k = Math.floor((view.was((e.clientX - b.left) * scale) - x[2]) / wide);
      var r = Math.floor((y[2] - (e.clientY - b.top) * scale) / high);
      if (k >= 0 && k < d.cells.length && r >= 0 && r < d.rows) show(k, r);
      else hide();
    });
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("keydown", function (e) {
      var step = { ArrowUp: 1, ArrowDown: -1 }[e.key];
      if (!step || e.ctrlKey || e.metaKey || e.altKey) return;
      if (at < 0) show(0);
      else show(at, row + step);
      e.preventDefault();
    });
    view.onZoom(function () { if (at >= 0) draw(); });
    keys(svg, view, d.cells.length, show, hide, function () {
      return { k: at, x: at < 0 ? null : x[2] + (at + 0.5) * wide };
    });
  }

  // A picture whose lines may bend back, bars, a map of tiles: what has a word of its own is walked by the arrow keys, but for
  // words that were shortened.
  function walk(box, out, view) {
    var svg = box.querySelector("svg.chart"), at = -1;
    var all = Array.prototype.filter.call(svg.querySelectorAll("title"), function (t) { return t.parentNode !== svg && t.parentNode.tagName !== "text"; })
      .map(function (t) { return t.parentNode; });
    if (!all.length && !view) return;
    var ring = element("rect", { "class": "cursor" });
    // Where it was drawn, without what zoom moved it by.
    function middle(e) { var b = e.getBBox(); return b.x + b.width / 2; }
    function draw() {
      var b = all[at].getBBox(), x = view ? view.at(b.x + b.width / 2) - b.width / 2 : b.x;
      ring.setAttribute("x", x - 3);
      ring.setAttribute("y", b.y - 3);
      ring.setAttribute("width", b.width + 6);
      ring.setAttribute("height", b.height + 6);
      svg.appendChild(ring);
    }
    function show(k) {
      at = Math.max(0, Math.min(all.length - 1, k));
      if (view) view.show(middle(all[at]));
      draw();
      out.textContent = all[at].querySelector("title").textContent;
    }
    function hide() {
      at = -1;
      ring.remove();
      out.textContent = "";
    }
    svg.addEventListener("pointermove", function (e) {
      var k = all.indexOf(e.target);
      if (k >= 0) show(k);
    });
    svg.addEventListener("pointerleave", hide);
    if (view) view.onZoom(function () { if (at >= 0) draw(); });
    keys(svg, view, all.length, show, hide, function () {
      return { k: at, x: at < 0 ? null : middle(all[at]) };
    });
  }

  function button(words, act) {
    var b = document.createElement("button");
    b.type = "button";
    b.textContent = words;
    b.addEventListener("click", function () { act(b); });
    return b;
  }

  // Words in lines that are no wider than this in such letters.
  function lines(words, size, weight, most) {
    var pen = document.createElement("canvas").getContext("2d"), all = [""];
    pen.font = weight + " " + size + "px " + getComputedStyle(document.body).fontFamily;
    function fits(line) { return pen.measureText(line).width <= most; }
    words.split(" ").forEach(function (word) {
      var line = all.pop(), longer = line ? line + " " + word : word;
      if (line && !fits(longer)) {
        all.push(line);
        longer = word;
      }
      // A word of more than a line: a path.
      while (longer.length > 1 && !fits(longer)) {
        var end = longer.length;
        while (end > 1 && !fits(longer.slice(0, end))) end--;
        all.push(longer.slice(0, end));
        longer = longer.slice(end);
      }
      all.push(longer);
    });
    return all;
  }

  // What stands around a picture that is alone: above it its title and of what it is, below it which line has which number,
  // its caption, and what the page says above of the signs of several.
  function framed(svg, name, figure, key) {
    var part = figure.closest("details.over-time"), below = figure.querySelector("figcaption");
    var view = svg.viewBox.baseVal, run = document.querySelector("h1"), of = run ? run.textContent : "", width = view.width;
    var detail = part && part.querySelector("summary b"), above = [], y = view.height, top;
    function text(y, words, size, weight, ink) {
      svg.appendChild(element("text", { x: 4, y: y, style: "fill:" + colour(ink) + ";font-size:" + size + "px;font-weight:" +
        weight + ";font-family:" + getComputedStyle(document.body).fontFamily.replace(/"/g, "'") }, words));
    }
    function add(words, size, weight, ink) {
      lines(words.replace(/\s+/g, " ").trim(), size, weight, width - 8).forEach(function (line) {
        above.push([line, size, weight, ink]);
      });
    }
    add(name + (part ? ": " + detail.textContent : ""), 13, 600, "ink");
    if (of) add(of, 10.5, 400, "soft");
    top = above.length * 15 + 10;
    above.forEach(function (line, k) { text(k * 15 + 18 - top, line[0], line[1], line[2], line[3]); });
    function foot(words) {
      lines(words, 10.5, 400, width - 8).forEach(function (line) { text(y += 14, line, 10.5, 400, "soft"); });
    }
    var keys = (key || []).map(function (of, k) { return k + 1 + " = " + of; });
    var said = (below ? below.textContent : "").replace("Lines: " + keys.join("; ") + ".", "");
    said = (said + " " + (figure.dataset.above || "")).replace(/\s+/g, " ").trim();
    keys.forEach(foot);
    if (said) foot(said);
    if (y > view.height) y += 6;
    svg.setAttribute("viewBox", "0 " + -top + " " + width + " " + (y + top));
    return y + top;
  }

  // The picture as a file of its own, with its colours as they are.
  function save(box, name) {
    var from = box.querySelector("svg.chart"), to = from.cloneNode(true);
    // paint-order: the halo of a word is behind it, not on it.
    var wanted = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linecap",
      "stroke-linejoin", "paint-order", "shape-rendering", "opacity", "font-size", "font-weight", "font-family",
      "font-variant-numeric", "text-anchor", "vector-effect", "clip-path", "visibility"];
    var a = from.querySelectorAll("*"), b = to.querySelectorAll("*");
    a.forEach(function (e, k) {
      var style = getComputedStyle(e);
      b[k].setAttribute("style", wanted.map(function (p) { return p + ":" + style.getPropertyValue(p); }).join(";"));
    });
    to.querySelectorAll(".cursor, .select").forEach(function (e) { e.remove(); });
    to.removeAttribute("tabindex");
    var view = from.viewBox.baseVal, d = dataOf(box);
    var height = framed(to, name, box.closest("figure"), d && d.key);
    to.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    to.setAttribute("width", view.width * 2);
    to.setAttribute("height", height * 2);
    to.style.background = colour("paper");
    var link = document.createElement("a");
    // As XML: HTML writes entities that a viewer of pictures does not know.
    link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(to)], { type: "image/svg+xml" }));
    link.download = name.toLowerCase().replace(/[^a-z0-9]+/g, "-") + ".svg";
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }

  function tools(figure) {
    var box = figure.querySelector(".picture"), title = figure.querySelector("h3");
    if (!box || !box.querySelector("svg.chart") || figure.querySelector(".tools")) return;
    var bar = document.createElement("div"), out = document.createElement("output");
    bar.className = "tools";
    bar.appendChild(out);
    var d = dataOf(box), svg = box.querySelector("svg.chart");
    var view = d && d.x.scale !== "names" ? zoom(box, d) : null;
    var act = d && d.cells && d.cells.length ? cells : d && d.x.v && d.x.v.length ? cursor : null;
    if (act) {
      act(box, d, out, view);
      box.classList.add("enlivened");
    } else walk(box, out, view);
    if (view) {
      drag(svg, view, d);
      bar.appendChild(button("Zoom", function () { view.by(2); svg.focus(); }));
      var all = button("All", view.all);
      all.hidden = true;
      view.onZoom(function (zoomed) { all.hidden = !zoomed; });
      bar.appendChild(all);
    }
    var keep = button("Save SVG", function () { save(box, title ? title.textContent : "chart"); });
    if (view) view.onZoom(function (zoomed) { keep.textContent = zoomed ? "Save SVG of this part" : "Save SVG"; });
    bar.appendChild(keep);
    box.after(bar);
  }

  // Folded pictures come to life when they are unfolded: until then they cost nothing.
  function enliven(part) {
    part.querySelectorAll("figure").forEach(function (figure) {
      if (!figure.closest("details:not([open])")) tools(figure);
    });
  }
  document.querySelectorAll("details.over-time").forEach(function (d) {
    d.addEventListener("toggle", function () { if (d.open) enliven(d); });
  });

  function store(value) {
    try {
      if (value === undefined) return localStorage.getItem("leadline-theme");
      localStorage.setItem("leadline-theme", value);
    } catch (e) { /* a file opened from disk may have no storage */ }
    return null;
  }
  var dark = matchMedia("(prefers-color-scheme: dark)");
  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
  }
  var theme = document.createElement("button");
  theme.type = "button";
  theme.className = "theme";
  function say() { theme.textContent = isDark() ? "Light" : "Dark"; theme.title = "Switch to " + theme.textContent.toLowerCase() + " colours"; }
  var kept = store();
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  theme.addEventListener("click", function () {
    root.dataset.theme = isDark() ? "light" : "dark";
    store(root.dataset.theme);
    say();
  });
  dark.addEventListener("change", say);
  say();
  document.querySelector("header").appendChild(theme);

  // Notes are printed; what else is folded says that it is not.
  var opened = [];
  addEventListener("beforeprint", function () {
    document.querySelectorAll("#findings>details:not([open]),.words>details:not([open]),#findings>.findings details:not([open])").forEach(function (d) { d.open = true; opened.push(d); });
  });
  addEventListener("afterprint", function () {
    opened.forEach(function (d) { d.open = false; });
    opened = [];
  });

  // A link to a folded part unfolds it.
  function unfold() {
    var target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") target.open = true;
  }
  addEventListener("hashchange", unfold);
  unfold();
  enliven(document);

  if (navigator.clipboard) {
    document.querySelectorAll("#plan pre").forEach(function (pre) {
      var copy = document.createElement("button");
      copy.type = "button";
      copy.className = "copy";
      copy.textContent = "Copy";
      copy.addEventListener("click", function () {
        navigator.clipboard.writeText(pre.textContent).then(function () {
          copy.textContent = "Copied";
          setTimeout(function () { copy.textContent = "Copy"; }, 1500);
        });
      });
      pre.parentNode.appendChild(copy);
    });
  }
})();
