/**
 * The catalog of errors as a page.
 * @param {Readonly<Record<string, { readonly status: number, readonly title: string }>>} catalog
 */
export function errorsDocument(catalog) {
  const rows = Object.entries(catalog)
    .sort(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} |`)
  return [
    '# Errors',
    '',
    'Every error the service can answer, made from `src/error/catalog.ts` by `npm run errors`. A code keeps its meaning for ever. Under plain REST an error is a',
    'problem document (RFC 9457, `application/problem+json`) whose `errors` hold all faults of the request:',
    '',
    '```json',
    '{ "status": 422, "code": "invalid-member", "title": "…", "detail": "…", "source": { "pointer": "/book/title" } }',
    '```',
    '',
    'Under JSON:API it is an error object with the same members, its status as text.',
    'The source is a `pointer` into the sent body (RFC 6901), a query `parameter`, or a `header`. Faults of different statuses together are answered as 400.',
    '',
    '| status | code | title |',
    '| ---: | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
