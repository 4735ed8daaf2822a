/**
 * The floor of each folder of `src`: a folder imports from itself and from lower floors only.
 * `docs/architecture.md` says what each is for.
 */
export const floors: Readonly<Record<string, number>> = {
  client: 0,
  crypto: 0,
  process: 0,
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
  telemetry: 3,
  store: 4,
  serializer: 5,
  background: 5,
  access: 5,
  rule: 6,
  policy: 7,
  router: 7,
  openapi: 7,
  context: 7,
  authentication: 7,
  middleware: 8,
  mapper: 8,
  operation: 8,
  document: 9,
  limits: 9,
  pipeline: 10,
  adapter: 10,
  items: 11,
  feature: 11,
  api: 12,
  'types.ts': 13,
  'index.ts': 14,
  testing: 15,
  jobs: 15,
  webhooks: 15,
  tools: 15,
  'tools/moving': 15,
  'tools/pull': 15,
  'tools/backup': 16,
  'tools/check': 16,
  'tools/dev': 16,
  'tools/guess': 16,
  'tools/client': 16,
  contracts: 17,
  'tools/cli': 17,
}

/** The floor of a file of `src`, and the folder that has it: each tool is a folder of its own. */
export function folderOf(file: string): string {
  const [first = '', second = '', ...rest] = file.split('/')
  return first === 'tools' && rest.length > 0 ? `${first}/${second}` : first
}
