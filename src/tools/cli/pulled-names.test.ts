import { afterAll, beforeAll, expect, it } from 'vitest'
import { compilerOutput } from '../../../test/support/compiler-output.ts'
import { type PulledService, pulledService } from '../../../test/support/pulled-sqlite.ts'

const tables = [
  ...['services', 'indexes', 'errors', 'maps', 'news', 'series', 'equipment'],
  ...['axes', 'axe', 'a_b_c', 'a_bc', 'Film', 'films', 'hash', 'größe', '日本', 'constructor'],
]
let service: PulledService

beforeAll(async () => {
  const lines = tables.map(
    (name) => `create table "${name}" (id text primary key not null, note text);
      insert into "${name}" values ('${name}', 'of ${name}');`,
  )
  service = await pulledService(`
    ${lines.join('\n')}
    create table "articles" (id text primary key not null, news_id text references news (id));
  `)
})
afterAll(() => service?.close())

it('gives each table a file, a class and a plural of its own', () => {
  const { files, modelCount } = service
  expect(modelCount).toBe(tables.length + 1)
  expect(files.size).toBe(tables.length + 3)
  const plurals = ['news', 'service-model', 'series'].map((name) =>
    /plural: '(.*?)'/.exec(files.get(`${name}.ts`)!)?.at(1),
  )
  expect(plurals).toEqual(['newsItems', undefined, 'seriesItems'])
  expect(files.get('error.ts')).toContain("export const ErrorModel = model(\n  'error',")
  expect(files.get('news.ts')).toContain("articles: toMany('article', { inverse: 'news' })")
})

it('compiles and serves all of them', async () => {
  const { router, api, files } = service
  expect(compilerOutput(files)).toBe('')
  const lists = router.rules.filter(
    ({ operation, method }) => operation === 'GetList' && method === 'GET',
  )
  const ids: string[] = []
  for (const { path } of lists.filter((rule) => rule.path !== '/articles'))
    ids.push(...(await api.get(path)).ids(path.slice(1)))
  expect(ids.toSorted()).toEqual(tables.toSorted())
}, 60_000)
