import { bundlingAdvice } from '../../bundle/package-files.ts'
import type { ServedPage } from '../../pipeline/serve-page.ts'
import { escapeHtml } from './escape-html.ts'
import { pageResponse, textTag } from './page-response.ts'
import { loadReferenceScript, scriptPath } from './reference-script.ts'
import { signInStyle } from './sign-in.ts'
import { startPath } from './start-script.ts'

export const referencePath = '/docs'

/**
 * The page loads from and sends to the service only, and runs the two scripts only. The reference
 * writes inline styles.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Long lines of the introduction wrap, so that the first request is readable as a whole. */
const codeStyle =
  '#reference .markdown pre code,#reference .markdown pre code *{white-space:pre-wrap;overflow-wrap:anywhere}'

/** A documentation page with every operation, which can send requests. */
export function createReferencePage(title: string): ServedPage {
  return {
    path: referencePath,
    audience: 'everyone',
    respond: async (request) => {
      const script = await loadReferenceScript()
      const content = script
        ? reference(`${scriptPath.slice(1)}?v=${script.digest}`)
        : `<p>The script of this page is missing. ${escapeHtml(bundlingAdvice)}</p>
<p><a href="openapi.json">The OpenAPI document</a> is complete.</p>`
      const text = renderHtml(title, content)
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'no-referrer',
      }
      return pageResponse(request, headers, textTag(text), { kind: 'text', text })
    },
  }
}

function reference(script: string): string {
  return `<noscript>This page needs JavaScript; <a href="openapi.json">the OpenAPI document</a> does not.</noscript>
<div id="reference"></div>
<script src="${script}"></script>
<script src="${startPath.slice(1)}"></script>`
}

function renderHtml(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="describedby" type="application/json" href="openapi.json">
<style>${signInStyle}
${codeStyle}</style>
</head>
<body>
${content}
</body>
</html>
`
}
