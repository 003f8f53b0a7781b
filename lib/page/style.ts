// The style of the pages: system fonts, both colour schemes, one column that fits a phone of 320 px. It has none of
// the characters that HTML escapes, since it is part of the page.
export const style = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #ffffff; --line: #d9dde3; --field: #8a93a0; --text: #16191d; --soft: #535b66;
  --accent: #1d4ed8; --on-accent: #ffffff; --hover: #1e40af; --tint: #eaf0fe;
  --bad: #b3261e; --bad-tint: #fdecea; --good: #146c2e; --good-tint: #e5f4e8; --wait: #7a4d00; --wait-tint: #fdf1dc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101317; --card: #191d23; --line: #30363f; --field: #7d8794; --text: #eef1f5; --soft: #a9b2be;
    --accent: #8ab0ff; --on-accent: #0b1a3a; --hover: #b0caff; --tint: #1c2942;
    --bad: #ffb4ab; --bad-tint: #3d1b18; --good: #8fdba2; --good-tint: #14301c; --wait: #ffcf87; --wait-tint: #35270d;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; padding: 24px 16px 48px; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif;
  overflow-wrap: anywhere;
}
main {
  max-width: 520px; margin: 0 auto; padding: 28px; background: var(--card);
  border: 1px solid var(--line); border-radius: 16px; box-shadow: 0 1px 2px rgb(0 0 0 / 6%), 0 8px 24px rgb(0 0 0 / 5%);
}
h1 { margin: 0 0 8px; font-size: 24px; line-height: 1.25; letter-spacing: -0.01em; text-wrap: balance; }
h2 { margin: 28px 0 12px; font-size: 17px; line-height: 1.3; }
p { margin: 0 0 12px; }
.lead, .reference, .hint, .note { color: var(--soft); }
.reference { margin: 24px 0 0; font-size: 13px; }
code { font: 0.92em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
a { color: var(--accent); text-underline-offset: 3px; }
.agent { display: flex; gap: 12px; align-items: center; margin: 0 0 24px; }
.mark {
  flex: none; display: grid; place-items: center; width: 44px; height: 44px; border-radius: 12px;
  background: var(--tint); color: var(--accent); font-size: 20px; font-weight: 650;
}
.agent p { margin: 0; line-height: 1.35; }
.agent .name { font-weight: 650; }
.agent .owner { color: var(--soft); font-size: 14px; }
.facts { margin: 20px 0 0; border-top: 1px solid var(--line); }
.facts div { padding: 12px 0; border-bottom: 1px solid var(--line); }
.facts dt { color: var(--soft); font-size: 14px; }
.facts dd { margin: 2px 0 0; }
.facts ul { margin: 0; padding: 0; list-style: none; }
.facts li + li { margin-top: 6px; }
.facts ul + .detail { margin-top: 6px; }
.facts .detail { display: block; color: var(--soft); font-size: 14px; }
.steps { margin: 20px 0 0; padding: 0; list-style: none; font-size: 15px; }
.steps li { display: flex; gap: 10px; padding: 4px 0; color: var(--soft); }
.steps li::before {
  content: counter(step); counter-increment: step; flex: none; display: grid; place-items: center;
  width: 24px; height: 24px; border: 1px solid var(--field); border-radius: 50%; font-size: 13px;
}
.steps { counter-reset: step; }
.steps li[aria-current] { color: var(--text); font-weight: 600; }
.steps li[aria-current]::before { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
form { margin: 0; }
.field { margin: 0 0 18px; }
label { display: block; margin: 0 0 6px; font-weight: 600; }
label .optional { color: var(--soft); font-weight: 400; }
.hint { margin: 0 0 6px; font-size: 14px; }
input, select {
  display: block; width: 100%; min-height: 46px; padding: 10px 12px; border: 1px solid var(--field);
  border-radius: 10px; background: var(--card); color: var(--text); font: inherit; font-size: 16px;
}
.choice { display: flex; gap: 12px; align-items: center; min-height: 44px; margin: 0; padding: 5px 0; font-weight: 400; }
.choice input { flex: none; width: 22px; min-height: 22px; accent-color: var(--accent); }
.choice .detail { display: block; color: var(--soft); font-size: 14px; }
details { margin: 4px 0 0; padding: 0 0 0 14px; border-left: 3px solid var(--line); }
details .field { margin: 14px 0 0; }
summary { min-height: 44px; padding: 9px 0; color: var(--accent); cursor: pointer; }
fieldset { min-width: 0; padding: 0; border: 0; }
legend { margin: 0 0 6px; padding: 0; font-weight: 600; }
input[aria-invalid] { border: 2px solid var(--bad); padding: 9px 11px; }
.mistake { margin: 6px 0 0; color: var(--bad); font-size: 14px; font-weight: 600; }
.button {
  display: block; width: 100%; min-height: 48px; padding: 12px 20px; border: 0; border-radius: 10px;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 650; text-align: center;
  text-decoration: none; cursor: pointer;
}
.button:hover { background: var(--hover); }
.button.quiet { background: transparent; color: var(--accent); box-shadow: inset 0 0 0 1px var(--field); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.note { margin: 16px 0 0; font-size: 14px; }
.note + form, .note + .button { margin-top: 20px; }
.status {
  display: flex; gap: 10px; align-items: flex-start; margin: 20px 0; padding: 12px 14px; border-radius: 10px;
  background: var(--tint);
}
.status p { margin: 0; }
.status strong { display: block; }
.status.good { background: var(--good-tint); } .status.good strong { color: var(--good); }
.status.bad { background: var(--bad-tint); } .status.bad strong { color: var(--bad); }
.status.wait { background: var(--wait-tint); } .status.wait strong { color: var(--wait); }
@media (max-width: 400px) {
  body { padding: 0; background: var(--card); }
  main { padding: 20px 16px 32px; border: 0; border-radius: 0; box-shadow: none; }
  h1 { font-size: 22px; }
}
@media (forced-colors: active) {
  .button, .status { border: 1px solid; }
}
`;
