import { hash, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { type Scenario, scenarioRouter } from './scenario.ts'

/** Relations of every kind, under both policies. */
const Author = model('author', {
  name: z.string().min(1),
  articles: toMany('article', { inverse: 'author' }),
})
const Article = model('article', {
  title: z.string().min(1),
  author: toOne('author', { description: 'Who wrote it' }),
  editor: toOne('author', { optional: true }),
  tags: toMany('tag'),
  hash: hash(),
})
const Tag = model(
  'tag',
  { label: z.string() },
  { ids: 'client', description: 'Words to find articles by' },
)

const routers = [rest(), jsonApi()].map((policy) => {
  const router = scenarioRouter('Articles', { policy, basePath: '/api' })
  for (const entry of [Author, Article, Tag]) router.prepare(entry)
  return router
})

export const relations: Scenario = { name: 'relations', router: routers[0]! }
export const relationsJsonApi: Scenario = { name: 'relations-json-api', router: routers[1]! }
