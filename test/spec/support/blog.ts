import {
  type AnyModel,
  createRouter,
  field,
  type Middleware,
  model,
  type Router,
  type RouterOptions,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { z } from 'zod'
import { type Client, client } from './document-client.ts'

/** The models in the examples of the JSON:API specification. */
export const Person = model('person', {
  name: z.string().min(1),
  age: z.int().nullish(),
  articles: toMany('article', { inverse: 'author' }),
})

export const Article = model('article', {
  title: z.string().min(1).max(200),
  body: z.string().optional(),
  created: z.iso.datetime().optional(),
  rank: z.number().nullish(),
  words: z.array(z.string()).optional(),
  details: z.object({ width: z.number().nullish(), note: z.string().optional() }).optional(),
  slug: field(z.string().optional(), { unique: true }),
  views: field(z.int().default(0), { readOnly: true }),
  author: toOne('person', { optional: true }),
  comments: toMany('comment', { inverse: 'article' }),
  tags: toMany('tag'),
})

export const Comment = model('comment', {
  body: z.string(),
  article: toOne('article'),
  author: toOne('person', { optional: true }),
})

export const Tag = model('tag', { name: z.string().min(1) })

/** The service chooses ids. */
const Event = model('event', { name: z.string() }, { ids: 'server' })

/** The client chooses ids. */
const Country = model('country', { name: z.string() }, { ids: 'client' })

/** Refers to others of its kind. */
export const Section = model('section', {
  name: z.string(),
  pageCount: field(z.int().nullish(), { wire: 'pages' }),
  secret: field(z.string().optional(), { hidden: true }),
  password: field(z.string().min(2).optional(), { writeOnly: true }),
  parent: toOne('section', { optional: true }),
  children: toMany('section', { inverse: 'parent' }),
  near: toMany('section', { wire: 'neighbours' }),
})

export const blogModels: readonly AnyModel[] = [
  Person,
  Article,
  Comment,
  Tag,
  Event,
  Country,
  Section,
]

const people = [
  { id: '9', name: 'Dan', age: 40 },
  { id: '10', name: 'Yehuda', age: null },
]

const tags = [
  { id: '2', name: 'paint' },
  { id: '3', name: 'bikes' },
  { id: '4', name: 'sheds' },
]

const articles = [
  {
    id: '1',
    title: 'JSON:API paints my bikeshed!',
    body: 'The shortest article. Ever.',
    created: '2015-05-22T14:56:29Z',
    rank: 2,
    words: ['short'],
    details: { width: 3, note: 'a' },
    slug: 'bikeshed',
    author: '9',
    tags: ['2', '3'],
  },
  { id: '2', title: 'Alone', created: '2015-05-22T14:56:28Z', rank: 1 },
]

const comments = [
  { id: '5', body: 'First!', article: '1', author: '10' },
  { id: '12', body: 'I like XML better', article: '1', author: '9' },
]

export interface Blog {
  readonly router: Router
  readonly api: Client
}

type BlogOptions = Partial<Omit<RouterOptions, 'store'>> & {
  readonly articleMiddleware?: Middleware
  readonly isEmpty?: boolean
}

/**
 * A JSON:API service over the blog and more models at `/api`, with the items above, and a client
 * that checks every response.
 */
export async function blog(
  store: Store,
  options: BlogOptions = {},
  more: readonly AnyModel[] = [],
): Promise<Blog> {
  const { articleMiddleware, isEmpty, ...routerOptions } = options
  const router = createRouter({ policy: jsonApi(), store, basePath: '/api', ...routerOptions })
  for (const entry of [...blogModels, ...more]) {
    const prepared = router.prepare(entry)
    if (entry === Article && articleMiddleware) prepared.use(articleMiddleware)
  }
  if (!isEmpty) {
    await router.load(Person, people)
    await router.load(Tag, tags)
    await router.load(Article, articles)
    await router.load(Comment, comments)
  }
  return { router, api: client(router) }
}
