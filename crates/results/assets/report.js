// Adds to the static pictures, which stay as they are: values under the pointer or by the arrow keys, a button that
// zooms, and one that saves. Without this script the page is complete.
(function () {
  "use strict";
  var root = document.documentElement;
  var plots = [];

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
      case "nines": return trim(100 - 100 / v, v < 100 ? 1 : v < 1e4 ? 3 : 5) + " %";
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

  function range(scale, isX) {
    return function (u, min, max) {
      if (min == null || max == null) return scale === "lin" ? [0, 1] : [1, 10];
      if (scale === "lin" && isX && min === u.data[0][0]) min = Math.min(min, 0);
      if (scale === "lin") return isX ? [min, max > min ? max : min + 1] : [Math.min(0, min), max > 0 ? max * 1.06 : 1];
      if (isX) return [min, max > min ? max : min * 2];
      var lo = min / 1.15, hi = max * 1.15;
      return [lo, hi > lo ? hi : lo * 10];
    };
  }

  function axis(spec, size) {
    var a = {
      label: spec.label, labelSize: 16, labelFont: "11px system-ui, sans-serif", labelGap: 0,
      stroke: colour("faint"), font: "11px system-ui, sans-serif", size: size, gap: 4,
      grid: { stroke: colour("grid"), width: 1, show: size > 40 },
      ticks: { show: false },
      values: function (u, vals) {
        return vals.map(function (v) { return text(spec.unit, v, false); });
      }
    };
    if (spec.scale !== "lin") {
      a.splits = function (u, i, min, max) {
        if (spec.unit === "nines") return [2, 10, 100, 1e3, 1e4, 1e5, 1e6].filter(function (v) { return v >= min && v <= max; });
        return logTicks(spec.scale === "log2" ? 2 : 10, min, max);
      };
      a.filter = function (u, splits) { return splits; };
    } else {
      a.space = size > 40 ? 36 : 60;
    }
    return a;
  }

  function scale(spec, isX) {
    var s = { time: false, range: range(spec.scale, isX) };
    if (spec.scale !== "lin") { s.distr = 3; s.log = spec.scale === "log2" ? 2 : 10; }
    return s;
  }

  function line(s, spec) {
    return {
      label: s.thin ? s.label + " (few)" : s.label, alpha: s.thin ? 0.45 : 1, stroke: colour(s["class"]), width: 1.6,
      dash: s.v === 1 ? [6, 4] : s.v === 2 ? [2, 3] : undefined,
      points: { show: s.dots, size: 6, fill: colour(s["class"]) },
      paths: s.step ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear(),
      spanGaps: false,
      value: function (u, v) { return text(spec.unit, v, true); }
    };
  }

  // Room for the names at the ends of the lines.
  function names(d) {
    var most = Math.max.apply(null, d.s.map(function (s) { return s.label.length; }));
    return Math.min(120, most * 6.6 + 12);
  }

  // The names, moved apart where they would overlap.
  function label(u, d) {
    var dpr = devicePixelRatio || 1;
    var ends = [];
    d.s.forEach(function (s, i) {
      if (s.more || !u.series[i + 1].show) return;
      for (var k = u.data[0].length - 1; k >= 0; k--) {
        var x = u.data[0][k], y = u.data[i + 1][k];
        if (y == null || x > u.scales.x.max) continue;
        ends.push({ y: u.valToPos(y, "y", true), s: s });
        break;
      }
    });
    ends.sort(function (a, b) { return a.y - b.y; });
    var free = u.bbox.top;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.font = "600 " + 11 * dpr + "px system-ui, sans-serif";
    u.ctx.textAlign = "left";
    u.ctx.textBaseline = "middle";
    ends.forEach(function (e) {
      var y = Math.max(e.y, free);
      free = y + 13 * dpr;
      u.ctx.fillStyle = colour(e.s["class"]);
      u.ctx.fillText(e.s.label, u.bbox.left + u.bbox.width + 7 * dpr, y);
    });
    u.ctx.restore();
  }

  function build(box) {
    var d = JSON.parse(box.querySelector("script").textContent);
    var svg = box.querySelector("svg.chart");
    var view = svg.viewBox.baseVal;
    var width = Math.floor(box.clientWidth);
    if (width < 120 || !d.x.v.length) return;
    var host = document.createElement("div");
    host.className = "live";
    host.setAttribute("aria-hidden", "true");
    var opts = {
      width: width, height: Math.round(width * view.height / view.width) - 24,
      padding: [10, names(d), 0, 0],
      scales: { x: scale(d.x, true), y: scale(d.y, false) },
      axes: [axis(d.x, 34), axis(d.y, 54)],
      series: [{ label: d.x.label.replace(" in the stage", ""), value: function (u, v) { return text(d.x.unit, v, true); } }]
        .concat(d.s.map(function (s) { return line(s, d.y); })),
      cursor: { sync: { key: d.sync, scales: ["x", null] }, drag: { x: true, y: false }, points: { size: 6 } },
      hooks: {
        draw: [function (u) { label(u, d); }],
        drawClear: [function (u) {
          d.bands.forEach(function (b) {
            var l = u.valToPos(Math.max(b[0], u.scales.x.min), "x", true);
            var r = u.valToPos(Math.min(b[1], u.scales.x.max), "x", true);
            if (r <= l) return;
            u.ctx.save();
            u.ctx.globalAlpha = 0.06;
            u.ctx.fillStyle = colour("ink");
            u.ctx.fillRect(l, u.bbox.top, r - l, u.bbox.height);
            u.ctx.restore();
          });
        }]
      }
    };
    box.appendChild(host);
    var plot = new uPlot(opts, [d.x.v].concat(d.s.map(function (s) { return s.y; })), host);
    box.classList.add("zoomed");
    plots.push({ box: box, host: host, plot: plot, ratio: view.height / view.width });
    return plot;
  }

  // Back to the picture.
  function whole(box) {
    plots = plots.filter(function (p) {
      if (p.box !== box) return true;
      p.plot.destroy();
      p.host.remove();
      return false;
    });
    box.classList.remove("zoomed");
  }

  // Where a value lies in the picture: the scales of the static chart.
  function place(side, v) {
    var r = side.r, share = side.scale === "lin" ? (v - r[0]) / (r[1] - r[0])
      : Math.log(v / r[0]) / Math.log(r[1] / r[0]);
    return r[2] + Math.max(0, Math.min(1, share)) * (r[3] - r[2]);
  }

  // A line at one x with the values of all series there.
  function cursor(box, out) {
    var d = JSON.parse(box.querySelector("script").textContent);
    var svg = box.querySelector("svg.chart"), at = -1;
    var line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("class", "cursor");
    function show(k) {
      at = Math.max(0, Math.min(d.x.v.length - 1, k));
      var x = place(d.x, d.x.v[at]).toFixed(1);
      line.setAttribute("d", "M" + x + " " + d.y.r[2] + "V" + d.y.r[3]);
      svg.appendChild(line);
      var values = d.s.filter(function (s) { return s.y[at] != null; }).map(function (s) {
        return s.label + " " + text(d.y.unit, s.y[at], true);
      });
      out.textContent = text(d.x.unit, d.x.v[at], true) + ": " + (values.join(", ") || "-");
    }
    function hide() {
      line.remove();
      out.textContent = "";
    }
    function near(e) {
      var r = svg.getBoundingClientRect(), x = (e.clientX - r.left) * svg.viewBox.baseVal.width / r.width;
      var best = 0, least = Infinity;
      d.x.v.forEach(function (v, k) {
        var far = Math.abs(place(d.x, v) - x);
        if (far < least) { least = far; best = k; }
      });
      show(best);
    }
    if (!d.x.v.length) return;
    svg.addEventListener("pointermove", near);
    svg.addEventListener("pointerleave", hide);
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("blur", hide);
    svg.addEventListener("keydown", function (e) {
      var step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[e.key];
      if (e.key === "Escape") hide();
      else if (e.key === "Home") show(0);
      else if (e.key === "End") show(d.x.v.length - 1);
      else if (step) show(at < 0 ? 0 : at + step);
      else return;
      e.preventDefault();
    });
  }

  // A picture whose lines may bend back, bars, a heat map: what has a word of its own is walked by the arrow keys.
  function walk(box, out) {
    var svg = box.querySelector("svg.chart"), at = -1;
    var all = Array.prototype.filter.call(svg.querySelectorAll("title"), function (t) { return t.parentNode !== svg; })
      .map(function (t) { return t.parentNode; });
    if (!all.length) return;
    var ring = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    ring.setAttribute("class", "cursor");
    function show(k) {
      at = Math.max(0, Math.min(all.length - 1, k));
      var b = all[at].getBBox();
      ring.setAttribute("x", b.x - 3);
      ring.setAttribute("y", b.y - 3);
      ring.setAttribute("width", b.width + 6);
      ring.setAttribute("height", b.height + 6);
      svg.appendChild(ring);
      out.textContent = all[at].querySelector("title").textContent;
    }
    function hide() {
      ring.remove();
      out.textContent = "";
    }
    svg.addEventListener("pointermove", function (e) {
      var k = all.indexOf(e.target);
      if (k >= 0) show(k);
    });
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("blur", hide);
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", function (e) {
      var step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[e.key];
      if (e.key === "Escape") hide();
      else if (e.key === "Home") show(0);
      else if (e.key === "End") show(all.length - 1);
      else if (step) show(at < 0 ? 0 : at + step);
      else return;
      e.preventDefault();
    });
  }

  // Zoom and move by keys: + and -, left and right, 0 for all.
  function keys(plot, host, first, last) {
    host.tabIndex = 0;
    host.removeAttribute("aria-hidden");
    host.setAttribute("role", "application");
    host.setAttribute("aria-label", "Zoomed chart: + and - zoom, arrows move, 0 shows all");
    host.addEventListener("keydown", function (e) {
      var x = plot.scales.x, min = x.min == null ? first : x.min, max = x.max == null ? last : x.max;
      var span = max - min, mid = (min + max) / 2;
      if (e.key === "+" || e.key === "=") { min = mid - span / 4; max = mid + span / 4; }
      else if (e.key === "-") { min = mid - span; max = mid + span; }
      else if (e.key === "ArrowRight") { min += span / 5; max += span / 5; }
      else if (e.key === "ArrowLeft") { min -= span / 5; max -= span / 5; }
      else if (e.key === "0") { min = first; max = last; }
      else return;
      e.preventDefault();
      plot.setScale("x", { min: Math.max(first, min), max: Math.min(last, max) });
    });
    host.focus();
  }

  function button(words, act) {
    var b = document.createElement("button");
    b.type = "button";
    b.textContent = words;
    b.addEventListener("click", function () { act(b); });
    return b;
  }

  // The picture as a file of its own, with its colours as they are.
  function save(box, name) {
    var from = box.querySelector("svg.chart"), to = from.cloneNode(true);
    var wanted = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity",
      "font-size", "font-weight", "font-family", "text-anchor"];
    var a = from.querySelectorAll("*"), b = to.querySelectorAll("*");
    a.forEach(function (e, k) {
      var style = getComputedStyle(e);
      b[k].setAttribute("style", wanted.map(function (p) { return p + ":" + style.getPropertyValue(p); }).join(";"));
    });
    var view = from.viewBox.baseVal;
    to.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    to.setAttribute("width", view.width * 2);
    to.setAttribute("height", view.height * 2);
    to.setAttribute("style", "background:" + colour("paper"));
    var link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([to.outerHTML], { type: "image/svg+xml" }));
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
    if (box.hasAttribute("data-live")) {
      cursor(box, out);
      box.classList.add("enlivened");
      bar.appendChild(button("Zoom", function (b) {
        var on = !box.classList.contains("zoomed");
        b.textContent = on ? "All" : "Zoom";
        if (!on) return whole(box);
        var plot = build(box);
        if (plot) keys(plot, plots[plots.length - 1].host, plot.data[0][0], plot.data[0][plot.data[0].length - 1]);
      }));
    } else walk(box, out);
    bar.appendChild(button("Save SVG", function () { save(box, title ? title.textContent : "chart"); }));
    box.after(bar);
  }

  function rebuild() {
    var boxes = plots.map(function (p) {
      p.plot.destroy();
      p.host.remove();
      return p.box;
    });
    plots = [];
    boxes.forEach(build);
  }

  // Folded pictures come to life when they are unfolded: until then they cost nothing.
  function enliven(part) {
    part.querySelectorAll("figure").forEach(function (figure) {
      if (!figure.closest("details:not([open])")) tools(figure);
    });
  }
  document.querySelectorAll("details.course").forEach(function (d) {
    d.addEventListener("toggle", function () { if (d.open) enliven(d); });
  });

  var waiting = 0;
  addEventListener("resize", function () {
    clearTimeout(waiting);
    waiting = setTimeout(function () {
      plots.forEach(function (p) {
        var width = Math.floor(p.box.clientWidth);
        if (width > 120) p.plot.setSize({ width: width, height: Math.round(width * p.ratio) - 24 });
      });
    }, 120);
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
    rebuild();
  });
  dark.addEventListener("change", function () { say(); rebuild(); });
  say();
  document.querySelector("header").appendChild(theme);

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
