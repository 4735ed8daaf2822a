const heads = ['status', 'code', 'title']

/**
 * The page docs/errors.md, from the catalog of errors and the declarations of the operations.
 * @param {Readonly<Record<string, { readonly status: number, readonly title: string }>>} catalog
 * @param {Readonly<Record<string, { readonly errors: readonly string[] }>>} implementations
 */
export function errorsDocument(catalog, implementations) {
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
    'All errors that the service responds with.',
    '`npm run errors` makes this page from `src/error/catalog.ts` and `src/pipeline/implementations.ts`.',
    'A code never changes its meaning.',
    '',
    'Under plain REST an error is a problem document (RFC 9457, `application/problem+json`), whose `errors` list all problems of the request:',
    '',
    '```json',
    '{ "status": 422, "code": "invalid-member", "title": "…", "detail": "…", "source": { "pointer": "/book/title" } }',
    '```',
    '',
    'Under JSON:API each problem is an error object with the same members, and its status is a string.',
    'The source is a `pointer` into the body of the request (RFC 6901), a query `parameter`, or a `header`.',
    'If the problems of a request have different statuses, the status of the response is 400.',
    '',
    rows[0],
    rule,
    ...rows.slice(1),
    '',
    '## What each operation can refuse with',
    '',
    'Every operation declares its errors beside its code, and cannot refuse with any other.',
    'The OpenAPI document of a service lists those that are possible with its models, and the errors of the stages before: the path, the headers, the parameters and the body.',
    'Hooks and actions can refuse with any error; their declarations add it to the document.',
    '',
    ...Object.entries(implementations).map(
      ([operation, { errors }]) =>
        `- \`${operation}\`: ${listed(errors) || 'no errors of its own'}`,
    ),
    '',
  ].join('\n')
}

/** @param {readonly string[]} codes */
function listed(codes) {
  return [...new Set(codes)]
    .sort()
    .map((code) => `\`${code}\``)
    .join(', ')
}
