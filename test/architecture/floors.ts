/**
 * The floor of each folder of `src`: a folder imports from itself and from lower floors only.
 * `docs/architecture.md` says what each is for.
 */
export const floors: Readonly<Record<string, number>> = {
  cache: 1,
  error: 1,
  schema: 1,
  query: 1,
  concurrency: 2,
  http: 2,
  model: 2,
  'stored-item': 3,
  store: 4,
  serializer: 5,
  moving: 5,
  rule: 6,
  policy: 7,
  router: 7,
  openapi: 7,
  context: 7,
  docs: 8,
  middleware: 8,
  mapper: 8,
  operation: 8,
  document: 9,
  pipeline: 10,
  adapter: 11,
  api: 12,
  check: 13,
  cli: 14,
  testing: 14,
  'index.ts': 13,
}
