import { decimal, field, model, toMany, toOne } from 'resourcery'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeModels } from './describe-models.ts'

const messagesOf = (models: Parameters<typeof describeModels>[0]) => {
  try {
    describeModels(models)
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

it('names all faults of all models, a line for each', () => {
  const Book = model(
    'book',
    {
      title: field(z.string().optional(), { wire: 'a b' }),
      author: toOne('writer'),
      genre: toOne('genre', { immutable: true, optional: true }),
    },
    { readOnly: true, upsert: true, key: [], plural: 'book' },
  )
  const Genre = model(
    'genre',
    { name: z.string(), rank: z.int() },
    { indexes: [['nam' as 'name', 'rank']], unique: [['rank']] },
  )
  const messages = messagesOf([Book, Genre])
  for (const part of [
    "plural of the model 'book' is the same as its name",
    "so 'upsert', about what they write, has no use",
    "'key' of the model 'book' must name a column",
    "'a b'",
    "unknown model 'writer'",
    "'genre' of the model 'book' is immutable, so its onDelete cannot be 'set-null'",
    "'nam'",
    "unique set 'rank' of the model 'genre' has one field",
  ])
    expect(
      messages.filter((message) => message.includes(part)),
      part,
    ).toHaveLength(1)
  expect(messages).toHaveLength(8)
})

it('names faults of inverse relations and actions together, once the fields are right', () => {
  const Author = model('author', {
    books: toMany('book', { inverse: 'autor' }),
    poems: toMany('book', { inverse: 'poet' }),
  })
  const Genre = model('genre', { books: toMany('book', { inverse: 'genres' }) })
  const Book = model('book', { author: toOne('author') })
  expect(messagesOf([Author, Genre, Book]).map((message) => message.slice(0, 40))).toEqual([
    "The field 'books' of the model 'author' ",
    "The field 'books' of the model 'genre' i",
  ])
})

it.each([
  [{ title: 0 }, "The weight of 'title' in the option 'search'"],
  [{ title: 1.5 }, 'must be a whole number from 1 to 100.'],
  ['title', "The option 'search' of the model 'book' must be an array of names"],
  [['title', 'title'], "names 'title' twice"],
  [['titel'], "'book' has no field 'titel'. Did you mean 'title'?"],
  [['pages'], "'pages' in the option 'search' of the model 'book' is not a text."],
  [['id'], "'id' in the option 'search' of the model 'book' is the id that every item has"],
  [['price'], 'is not a text.'],
  [['tags'], 'is not a text.'],
  [['author'], "is a relation; expected a text of its items, such as 'author.name'."],
  [['author.id'], 'is an id, by which clients filter.'],
  [['author.books.title'], "'books' is not a to-one relation"],
  [['secret'], 'is a field that clients cannot read'],
  [['shelf'], "Remove its option 'filter'."],
  [['size.width'], "leads to no member: 'width' is not declared."],
])('refuses to search %j', (search, part) => {
  const Author = model('author', {
    name: z.string(),
    books: toMany('book', { inverse: 'author' }),
  })
  const Book = model(
    'book',
    {
      title: z.string(),
      pages: z.int(),
      price: decimal(6, 2),
      tags: z.array(z.string()),
      size: z.object({ unit: z.string() }),
      secret: field(z.string().optional(), { hidden: true }),
      shelf: field(z.string(), { filter: false }),
      author: toOne('author'),
    },
    { search: search as never },
  )
  const messages = messagesOf([Author, Book])
  expect(messages).toHaveLength(1)
  expect(messages[0]).toContain(part)
})
