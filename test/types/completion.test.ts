import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LanguageServer, startLanguageServer } from '../support/language-server.ts'

const folder = mkdtempSync(join(fileURLToPath(new URL('.', import.meta.url)), 'completion-'))
const file = join(folder, 'service.ts')
let server: LanguageServer

const models = `
import { action, model, type Router, toMany, toOne } from 'resourcery'
import { z } from 'zod'

class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
}) {}

class Book extends model('book', {
  title: z.string(),
  price: z.number(),
  format: z.enum(['paper', 'cloth']),
  tags: z.array(z.string()),
  size: z.object({ width: z.number(), height: z.number() }),
  author: toOne<Author>('author'),
}) {}

declare const router: Router
`

const bookPaths = [
  'author',
  'author.books',
  'author.id',
  'author.name',
  'format',
  'id',
  'price',
  'size.height',
  'size.width',
  'tags',
  'title',
]

beforeAll(async () => {
  writeFileSync(file, models)
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.json', include: ['service.ts'] }),
  )
  server = await startLanguageServer(folder)
}, 60_000)

afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('an editor', () => {
  it.each([
    ['the paths of a model', "router.query(Book).where('|')", bookPaths],
    [
      'the paths of single values to sort by',
      "router.query(Book).sort('|')",
      bookPaths.filter((path) => path !== 'tags' && path !== 'author.books'),
    ],
    [
      'the paths in a hook of the model',
      "router.prepare(Book).use({ query: { any: (query) => query.where('|') } })",
      bookPaths,
    ],
    [
      'the paths in a condition',
      "router.query(Book).or((part) => part.where('|').equal(1))",
      bookPaths,
    ],
    ['the values of an enum', "router.query(Book).where('format').equal('|')", ['cloth', 'paper']],
    [
      'the operators of numbers',
      "router.query(Book).where('price').|",
      [
        'anyOf',
        'equal',
        'greaterThan',
        'greaterThanOrEqual',
        'isNull',
        'lessThan',
        'lessThanOrEqual',
        'noneOf',
        'notEqual',
      ],
    ],
    [
      'the operators of arrays',
      "router.query(Book).where('tags').|",
      ['containsAll', 'containsAny'],
    ],
    [
      'the fields that a mapper can hide',
      "router.prepare(Book).map((book) => book, { hides: ['|'] })",
      ['author', 'format', 'price', 'size', 'tags', 'title'],
    ],
    [
      'the relations that an inverse relation can name',
      "class Shop extends model('shop', { books: toMany<Book>('book', { inverse: '|' }) }) {}",
      ['author'],
    ],
    [
      'the methods that can be actions',
      "class Note extends model('note', { text: z.string() }) { send() {} private pin() {} static { action(this, '|') } }",
      // And what is typed so far, which is nothing.
      ['', 'send'],
    ],
    [
      'the options of an action',
      "class Note extends model('note', { text: z.string() }) { send() {} static { action(this, 'send', { | }) } }",
      // Its member says that a schema may stand here too.
      ['"~standard"', 'async?', 'description?', 'id?', 'input?', 'output?', 'responses?', 'use?'],
    ],
    ['the members of an item to load', 'router.load(Author, [{ | }])', ['id?', 'name']],
  ])('offers %s', async (_, line, expected) => {
    expect(await server.completionsAt(file, `${models}${line}\n`)).toEqual(expected)
  })
})
