import { capitalize } from '../../text/message-text.ts'
import { escapeHtml } from './escape-html.ts'

/** A list that anybody may read. */
export interface StartPageList {
  readonly words: string
  readonly href: string
  readonly description: string | undefined
  /** Undefined where it is not known. */
  readonly count: number | undefined
}

/** What a start page shows. */
export interface StartPageView {
  readonly title: string
  readonly description: string | undefined
  readonly lists: readonly StartPageList[]
  /** Are there lists that need credentials? */
  readonly hasRefusedLists: boolean
  /** Are there lists that cannot be read now, for example because a limit is exceeded? */
  readonly hasUnavailableLists: boolean
  /** The command that reads the first list; undefined without a list. */
  readonly command: string | undefined
  /** The address of the documentation page, and of the OpenAPI document; undefined without. */
  readonly docs: { readonly page: string; readonly document: string } | undefined
}

export function renderStartPage(view: StartPageView): string {
  const title = escapeHtml(view.title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${startPageStyle}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${view.description ? `<p>${escapeHtml(view.description)}</p>\n` : ''}${docsOf(view)}${listsOf(view)}${commandOf(view)}</main>
</body>
</html>
`
}

function docsOf({ docs }: StartPageView): string {
  if (!docs) return ''
  return `<nav><a class="button" href="${escapeHtml(docs.page)}">Documentation</a> <a href="${escapeHtml(docs.document)}">OpenAPI document</a></nav>\n`
}

function listsOf({ lists, hasRefusedLists, hasUnavailableLists, docs }: StartPageView): string {
  const howTo = docs ? '; the documentation says how to send them' : ''
  if (lists.length === 0) {
    if (hasUnavailableLists) return '<p>The lists cannot be read now. Try again later.</p>\n'
    if (hasRefusedLists) return `<p>Every list needs credentials${howTo}.</p>\n`
    return '<p>There are no lists.</p>\n'
  }
  const refused = hasRefusedLists
    ? `<p class="note">Other lists need credentials${howTo}.</p>\n`
    : ''
  const unavailable = hasUnavailableLists
    ? '<p class="note">Some lists cannot be read now. Try again later.</p>\n'
    : ''
  return `<h2>What you can read</h2>\n<ul>\n${lists.map(entryOf).join('')}</ul>\n${refused}${unavailable}`
}

function entryOf({ words, href, description, count }: StartPageList): string {
  const number = count === undefined ? '' : ` <small>${count}</small>`
  const text = description ? `<p>${escapeHtml(description)}</p>` : ''
  return `<li><a href="${escapeHtml(href)}">${escapeHtml(capitalize(words))}</a>${number}${text}</li>\n`
}

function commandOf({ command }: StartPageView): string {
  if (command === undefined) return ''
  return `<h2>The first request</h2>\n<pre><code>${escapeHtml(command)}</code></pre>\n`
}

/** The fonts and colors of the documentation page, in light and dark. */
export const startPageStyle: string = `:root{color-scheme:light dark;--text:#1b1b1b;--quiet:#5f6368;--back:#fff;--panel:#f6f6f6;--line:#e2e2e2;--link:#0066cc}
@media (prefers-color-scheme:dark){:root{--text:#e7e7e7;--quiet:#a4a4a4;--back:#0f0f0f;--panel:#1a1a1a;--line:#2d2d2d;--link:#6ab7ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.6 Inter,-apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,"Helvetica Neue",Helvetica,Arial,sans-serif}
main{max-width:46rem;margin:0 auto;padding:3.5rem 1.25rem 4rem}
h1{margin:0;font-size:1.9rem;line-height:1.25;letter-spacing:-.01em;overflow-wrap:anywhere}
h1+p{margin:.5rem 0 0;color:var(--quiet)}
h2{margin:2.5rem 0 .75rem;font-size:1.05rem}
a{color:var(--link);text-decoration:none}
a:hover,a:focus-visible{text-decoration:underline}
nav{display:flex;flex-wrap:wrap;gap:.75rem 1.25rem;align-items:center;margin-top:1.5rem}
.button{padding:.45rem 1rem;border-radius:6px;background:var(--text);color:var(--back);font-weight:600}
ul{margin:0;padding:0;list-style:none;border:1px solid var(--line);border-radius:8px;overflow:hidden}
li{padding:.7rem 1rem}
li+li{border-top:1px solid var(--line)}
li a{font-weight:600}
li p{margin:.1rem 0 0;color:var(--quiet);font-size:.92rem}
small{float:right;color:var(--quiet);font-size:.92rem;font-variant-numeric:tabular-nums}
.note{margin:.75rem 0 0;color:var(--quiet);font-size:.92rem}
pre{margin:0;padding:.9rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:8px;background:var(--panel);font:14px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}`
