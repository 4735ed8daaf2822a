/**
 * The floor of each folder of `src`: a folder imports from itself and from lower floors only.
 * `docs/architecture.md` says what each is for.
 */
export const floors: Readonly<Record<string, number>> = {
  crypto: 0,
  bundle: 1,
  cache: 1,
  error: 1,
  state: 1,
  schema: 1,
  text: 1,
  query: 1,
  concurrency: 2,
  http: 2,
  model: 2,
  'stored-item': 3,
  store: 4,
  serializer: 5,
  access: 5,
  rule: 6,
  policy: 7,
  router: 7,
  openapi: 7,
  context: 7,
  authentication: 7,
  middleware: 9,
  mapper: 9,
  operation: 9,
  document: 10,
  limits: 10,
  pipeline: 11,
  adapter: 11,
  items: 12,
  feature: 12,
  api: 13,
  'types.ts': 14,
  'index.ts': 15,
  testing: 16,
  tools: 16,
  'tools/moving': 16,
  'tools/pull': 16,
  'tools/check': 17,
  contracts: 18,
  'tools/cli': 18,
}

/** The floor of a file of `src`, and the folder that has it: each tool is a folder of its own. */
export function folderOf(file: string): string {
  const [first = '', second = '', ...rest] = file.split('/')
  return first === 'tools' && rest.length > 0 ? `${first}/${second}` : first
}
