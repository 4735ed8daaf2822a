import { createHash } from 'node:crypto'
import { bundle, scriptPath } from './bundle.ts'
import { type Page, pageAnswer } from './page.ts'

export const referencePath = '/docs'
const startPath = '/docs/start.js'

/**
 * Nothing is loaded from, and nothing sent to, anywhere but the service itself; no code runs but the two scripts. The reference writes its own styles.
 */
const policy = [
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

/** What the reference is told: where the document is, and to keep to itself. Addresses are relative, so that the page works behind proxies too. */
const configuration = {
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
} as const

const startText = `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)})\n`
const startDigest = digestOf(startText)

/** Tells the script what to show. A file of its own, so that the page needs no inline script. */
export const startPage: Page = {
  path: startPath,
  answer: (request) =>
    pageAnswer(
      request,
      { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' },
      `"${startDigest}"`,
      { kind: 'text', text: startText },
    ),
}

/** A documentation page with every operation, from which requests can be sent. */
export function referencePage(title: string): Page {
  return {
    path: referencePath,
    answer: async (request) => {
      const { digest } = await bundle()
      const text = htmlOf(title, `${scriptPath.slice(1)}?v=${digest}`)
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'referrer-policy': 'no-referrer',
      }
      return pageAnswer(request, headers, `"${digestOf(text)}"`, { kind: 'text', text })
    },
  }
}

function htmlOf(title: string, script: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="describedby" type="application/json" href="openapi.json">
</head>
<body>
<noscript>This page needs JavaScript; <a href="openapi.json">the OpenAPI document</a> does not.</noscript>
<div id="reference"></div>
<script src="${script}"></script>
<script src="${startPath.slice(1)}"></script>
</body>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
