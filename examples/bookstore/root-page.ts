import { type ApiRequest, type ApiResponse, respond } from 'resourcery'

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bookstore</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; color: #222 }
  code { background: #f3f3f3; padding: .1em .3em; border-radius: .2em }
  li { margin: .4rem 0 }
</style>
<h1>Bookstore</h1>
<p>An example service made with <strong>resourcery</strong>: public-domain books over plain REST at <code>/api</code>,
  and over JSON:API 1.1 at <code>/json-api</code>.</p>
<ul>
  <li><a href="/api/books?page[size]=20">Books</a>, twenty at a time</li>
  <li><a href="/api/books/frankenstein?include=author,genres">One book</a>, with its author and genres</li>
  <li><a href="/api/books/frankenstein/cover">Its cover</a>, and <a href="/api/books/frankenstein/cover/webp/128">as WebP, 128 pixels high</a></li>
  <li><a href="/api/books?filter[price][lt]=8&amp;sort=price,title&amp;page[size]=20">Books under € 8</a>, the cheapest first</li>
  <li><a href="/api/books?filter[author.name][contains]=Shelley">Books by a Shelley</a></li>
  <li><a href="/api/authors?sort=name">Authors</a>, <a href="/api/publishers">publishers</a>,
      <a href="/api/genres?include=parent">genres</a>, <a href="/api/reviews?sort=-createdAt&amp;include=book">reviews</a></li>
  <li>Under JSON:API: <a href="/json-api/books?page[size]=20&amp;include=author">books</a> with their authors,
      <a href="/json-api/authors/mary-shelley/books">the books of an author</a>,
      <a href="/json-api/books/frankenstein/relationships/genres">which genres a book has</a></li>
  <li>All that can be asked, to read and to try: <a href="/api/docs">plain REST</a>, <a href="/json-api/docs">JSON:API</a>; as OpenAPI documents:
      <a href="/api/openapi.json">plain REST</a>, <a href="/json-api/openapi.json">JSON:API</a></li>
</ul>
<p>What an <a href="/errors">error</a> means.</p>
<p>Change things with <code>POST</code>, <code>PATCH</code>, <code>PUT</code> and <code>DELETE</code>; the guide shows how.</p>
</html>
`

/** The page of links at `/`. */
export function rootPage(request: ApiRequest): ApiResponse | undefined {
  return request.path === '/' ? htmlPage(request, page) : undefined
}

export function htmlPage({ method }: ApiRequest, html: string): ApiResponse {
  if (method !== 'GET' && method !== 'HEAD') return respond(405, { allow: 'GET, HEAD' })
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
  }
  return respond(200, headers, html)
}
