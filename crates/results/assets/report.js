// Makes the static pictures live: zoom by dragging, hover, cursors that move together. Without this
// script the page is complete.
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
  // Text of a value: short on an axis, exact in the legend.
  function text(unit, v, exact) {
    if (v == null || isNaN(v)) return "-";
    switch (unit) {
      case "ns": return span(v, exact);
      case "s": return trim(v, exact ? 2 : 1) + " s";
      case "mib": return exact ? digits(v) + " MiB/s" : compact(v);
      case "nines": return trim(100 - 100 / v, 5) + " %";
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
    box.classList.add("enlivened");
    plots.push({ box: box, host: host, plot: plot, ratio: view.height / view.width });
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
    part.querySelectorAll("[data-live]:not(.enlivened)").forEach(function (box) {
      if (!box.closest("details:not([open])")) build(box);
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
  var button = document.createElement("button");
  button.type = "button";
  button.className = "theme";
  function say() { button.textContent = isDark() ? "Light" : "Dark"; button.title = "Switch to " + button.textContent.toLowerCase() + " colours"; }
  var kept = store();
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  button.addEventListener("click", function () {
    root.dataset.theme = isDark() ? "light" : "dark";
    store(root.dataset.theme);
    say();
    rebuild();
  });
  dark.addEventListener("change", function () { say(); rebuild(); });
  say();
  document.querySelector("header").appendChild(button);

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
