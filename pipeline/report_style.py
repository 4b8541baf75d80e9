"""How the report looks: on a screen, light or dark, and on paper."""

STYLE = """
:root {
  --paper: #fcfbf8; --raised: #ffffff; --ink: #1c1f23; --soft: #595e66; --line: #dcd8cf;
  --accent: #1d5f8a; --bar: #4a86ad; --band: #f1eee6; --bad: #9c3d22; --second: #9a5b12; --third: #4d7030;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
  --serif: Charter, "Bitstream Charter", "Iowan Old Style", "Source Serif 4", "Noto Serif", Georgia, serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181b; --raised: #1c2024; --ink: #e8e5de; --soft: #a5a9ae; --line: #383d43;
    --accent: #86bfe6; --bar: #5e9cc6; --band: #20252a; --bad: #e79a80; --second: #dda65a; --third: #9fc47c;
  }
}
* { box-sizing: border-box; }
html { color-scheme: light dark; -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0 auto; padding: 3rem 1.5rem 5rem; max-width: 60rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.6 var(--serif); font-variant-numeric: lining-nums; }
h1, h2, h3 { font-family: var(--sans); line-height: 1.2; text-wrap: balance; }
h1 { font-size: 2.3rem; letter-spacing: -0.02em; margin: 0 0 .4rem; }
h2 { font-size: 1.45rem; letter-spacing: -0.01em; margin: 3.5rem 0 .9rem; padding-top: 1.1rem;
  border-top: 2px solid var(--ink); }
h3 { font-size: 1.08rem; margin: 2.4rem 0 .5rem; }
h2 + h3 { margin-top: 1.2rem; }
p { max-width: 42rem; margin: .5rem 0 1rem; }
a { color: var(--accent); text-underline-offset: .15em; }
a:focus-visible, [tabindex]:focus-visible, summary:focus-visible { outline: 2px solid var(--accent);
  outline-offset: 3px; }
code, pre { font-family: var(--mono); font-size: .84em; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 4px; padding: .8rem 1rem;
  overflow-x: auto; line-height: 1.45; }
.where { white-space: pre-wrap; overflow-wrap: anywhere; }
.lead { font-size: 1.15rem; color: var(--soft); margin-bottom: 1.6rem; }
.note { color: var(--soft); font: .86rem/1.5 var(--sans); }
nav ol { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.3rem; padding: 0; margin: 1.8rem 0 0;
  font: .92rem var(--sans); }
dl.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 1.1rem 1.6rem;
  margin: 1.4rem 0; font-family: var(--sans); }
dl.facts dt { color: var(--soft); font-size: .8rem; }
dl.facts dd { margin: .1rem 0 0; font-weight: 600; overflow-wrap: anywhere;
  font-variant-numeric: tabular-nums lining-nums; }
.scroll { overflow-x: auto; margin: .8rem 0 1.2rem; }
table { border-collapse: collapse; width: 100%; font: .88rem/1.4 var(--sans);
  font-variant-numeric: tabular-nums lining-nums; }
caption { text-align: left; color: var(--soft); font-size: .86rem; padding: 0 0 .5rem; }
th, td { text-align: left; vertical-align: baseline; padding: .36rem .9rem .36rem 0;
  border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-weight: 500; font-size: .8rem; vertical-align: bottom; }
tbody th { font-weight: 500; }
.n { text-align: right; white-space: nowrap; }
tr.out th, tr.out td { color: var(--bad); }
tr.sum th, tr.sum td { font-weight: 700; }
tr.under th { padding-left: 1.1rem; font-weight: 400; }
tbody.group th[scope=rowgroup] { padding-top: 1.1rem; font-weight: 700; }
tbody.averages tr:first-child > * { padding-top: 1.1rem; }
td.bar { width: 32%; min-width: 7rem; vertical-align: middle; }
td.bar svg { display: block; width: 100%; height: .72rem; }
td.hash { font-family: var(--mono); font-size: .76rem; overflow-wrap: anywhere; }
figure { margin: .8rem 0 .6rem; }
figcaption { color: var(--soft); font: .84rem/1.5 var(--sans); max-width: 46rem; }
svg text { font-family: var(--sans); fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
svg.chart { display: block; width: 100%; height: auto; }
svg .bar { fill: var(--bar); } svg .lost { fill: var(--bad); } svg .track { fill: var(--band); }
svg .band { fill: var(--band); }
svg .grid { stroke: var(--line); stroke-width: 1; } svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .cut { stroke: var(--ink); stroke-opacity: .75; stroke-width: 1; stroke-dasharray: 2 3; }
svg .decile { fill: var(--accent); font-size: 10px; }
svg .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .s0 { stroke: var(--accent); } svg .s1 { stroke: var(--second); stroke-dasharray: 7 3; }
svg .s2 { stroke: var(--third); stroke-dasharray: 2 3; }
svg .s3 { stroke: var(--bad); stroke-dasharray: 9 3 2 3; }
.score { break-inside: avoid; }
.score table { table-layout: fixed; min-width: 44rem; }
.score h3 code { font-size: 1em; }
.score h3 .note { font-weight: 400; margin-left: .6rem; }
article.pair { background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
  padding: 1.1rem 1.3rem .9rem; margin: 0 0 1rem; break-inside: avoid; }
article.pair h3 { font: .78rem var(--mono); color: var(--soft); margin: 0 0 .8rem; overflow-wrap: anywhere; }
article.pair .sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem 2rem; }
article.pair .sides h4, article.pair .source h4 { font: .78rem var(--sans); color: var(--soft);
  margin: 0 0 .15rem; }
article.pair p { margin: 0; max-width: none; overflow-wrap: anywhere; unicode-bidi: plaintext;
  text-align: start; }
article.pair .sides p { font-size: 1.06rem; line-height: 1.5; }
article.pair .source { margin-top: .9rem; color: var(--soft); font-size: .95rem; }
article.pair dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(13.5rem, 1fr));
  gap: .15rem 2rem; margin: .9rem 0 0; padding-top: .6rem; border-top: 1px solid var(--line);
  font: .8rem/1.5 var(--sans);
  font-variant-numeric: tabular-nums; }
article.pair dl div { display: flex; justify-content: space-between; gap: .8rem; }
article.pair dt { color: var(--soft); overflow-wrap: anywhere; }
article.pair dd { margin: 0; white-space: nowrap; }
article.pair .chosen { font: .78rem var(--sans); color: var(--accent); margin-top: .5rem; }
summary { cursor: pointer; font: .95rem var(--sans); color: var(--accent); }
footer { margin-top: 4rem; border-top: 1px solid var(--line); padding-top: 1rem; }
@media (max-width: 40rem) {
  body { padding: 1.6rem 1rem 3rem; } h1 { font-size: 1.8rem; }
  article.pair .sides { grid-template-columns: 1fr; }
}
@media print {
  :root { --paper: #fff; --raised: #fff; --ink: #000; --soft: #444; --line: #bbb; --band: #eee; --bar: #777;
    --accent: #1d4f73; --bad: #7a2d18; --second: #6d400c; --third: #38521f; }
  body { max-width: none; padding: 0; font-size: 10pt; } nav { display: none; } h2 { margin-top: 1.6rem; }
  article.pair .sides p { font-size: .95rem; } h2, h3, caption { break-after: avoid; }
  tr, figure { break-inside: avoid; } .scroll { overflow: visible; }
  a { color: inherit; text-decoration: none; } pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
"""
