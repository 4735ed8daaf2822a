const heads = ['status', 'code', 'title']

/**
 * The catalog of errors as a page.
 * @param {Readonly<Record<string, { readonly status: number, readonly title: string }>>} catalog
 */
export function errorsDocument(catalog) {
  const cells = Object.entries(catalog)
    .sort(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, title }]) => [String(status), `\`${code}\``, title])
  const widths = [0, 1, 2].map((column) =>
    Math.max(...[heads, ...cells].map((row) => (row[column] ?? '').length)),
  )
  const [ofStatus = 0, ofCode = 0, ofTitle = 0] = widths
  const rows = [heads, ...cells].map(
    ([status = '', code = '', title = '']) =>
      `| ${status.padStart(ofStatus)} | ${code.padEnd(ofCode)} | ${title.padEnd(ofTitle)} |`,
  )
  const rule = `| ${'-'.repeat(ofStatus - 1)}: | ${'-'.repeat(ofCode)} | ${'-'.repeat(ofTitle)} |`
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
    rows[0],
    rule,
    ...rows.slice(1),
    '',
  ].join('\n')
}
