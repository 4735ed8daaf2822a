import { type ApiRequest, type ApiResponse, errorCatalog } from 'resourcery'
import type { CatalogEntry } from 'resourcery/types'
import { htmlPage } from './root-page.ts'

const rows = Object.entries<CatalogEntry>(errorCatalog).map(
  ([code, { status, title }]) =>
    `<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${title}</td></tr>`,
)

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors of the bookstore</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 3rem auto; padding: 0 1rem; color: #222 }
  td { padding: .2rem .8rem .2rem 0; vertical-align: top }
  tr:target { background: #fff3bf }
</style>
<h1>Errors</h1>
<p>Each error response of the bookstore has one of these codes. Its <code>detail</code> says what is wrong and what is expected. Its
  <code>source</code> is the part of the request that caused it.</p>
<table>
${rows.join('\n')}
</table>
</html>
`

/** The page at `/errors`, to which errors under JSON:API link. */
export function errorsPage(request: ApiRequest): ApiResponse | undefined {
  return request.path === '/errors' ? htmlPage(request, page) : undefined
}
