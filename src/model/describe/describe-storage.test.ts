import { expect, test } from 'vitest'
import { z } from 'zod'
import { field, hash } from '../declare/field.ts'
import { model } from '../declare/model.ts'
import { toMany, toOne } from '../declare/relation.ts'
import { image } from '../declare/resource.ts'
import { RegistrationError } from '../registration-error.ts'
import { describeModels } from './describe-models.ts'

const title = z.string()
const Genre = model('genre', { title })

const describeOne = (...models: Parameters<typeof describeModels>[0]) =>
  describeModels([...models, Genre])[0]!

test('tables and columns have the names of their models and fields in snake_case', () => {
  const { storage, fieldsByName, hashField } = describeOne(
    model('bookPart', {
      pageCount: title,
      'front-cover': image(),
      mainGenre: toOne('genre', { optional: true }),
      parent: toOne('bookPart', { optional: true, wire: 'parentId' }),
      otherGenres: toMany('genre'),
      sequels: toMany('bookPart'),
      hash: hash(),
    }),
  )
  expect(storage).toEqual({
    table: { schema: undefined, name: 'book_parts' },
    key: ['id'],
    order: 'codePoint',
    formerNames: [],
  })
  const storageOf = (name: string) => (fieldsByName.get(name) as { storage: unknown }).storage
  expect(storageOf('pageCount')).toEqual({ column: 'page_count', formerNames: [] })
  expect(storageOf('front-cover')).toMatchObject({ column: 'front_cover' })
  expect(storageOf('mainGenre')).toMatchObject({ column: 'main_genre_id' })
  expect(storageOf('parent')).toMatchObject({ column: 'parent_id' })
  expect(storageOf('otherGenres')).toEqual({
    table: { schema: undefined, name: 'book_parts_other_genres' },
    owner: 'book_part_id',
    target: 'genre_id',
  })
  expect(storageOf('sequels')).toMatchObject({
    owner: 'book_part_id',
    target: 'related_book_part_id',
  })
  expect(hashField!.storage).toEqual({ kind: 'computed' })
})

test('a model gives other names to its table, its key and its columns', () => {
  const { storage, fieldsByName, hashField } = describeOne(
    model(
      'book',
      {
        pages: field(z.int(), { column: 'PageCount', was: 'size' }),
        cover: image({ column: 'cover_meta' }),
        genre: toOne('genre', { column: 'main', was: ['kind', 'sort'] }),
        genres: toMany('genre', {
          through: { table: 'shop.book_genre', owner: 'book', target: 'genre' },
        }),
        hash: hash({ column: 'row_version' }),
      },
      { table: 'shop.Books', key: ['shop_id', 'number'], was: 'volume' },
    ),
  )
  expect(storage).toEqual({
    table: { schema: 'shop', name: 'Books' },
    key: ['shop_id', 'number'],
    order: 'codePoint',
    formerNames: ['volume'],
  })
  const storageOf = (name: string) => (fieldsByName.get(name) as { storage: unknown }).storage
  expect(storageOf('pages')).toEqual({ column: 'PageCount', formerNames: ['size'] })
  expect(storageOf('cover')).toMatchObject({ column: 'cover_meta' })
  expect(storageOf('genre')).toEqual({ column: 'main', formerNames: ['kind', 'sort'] })
  expect(storageOf('genres')).toEqual({
    table: { schema: 'shop', name: 'book_genre' },
    owner: 'book',
    target: 'genre',
  })
  expect(hashField!.storage).toEqual({ kind: 'column', column: 'row_version' })
})

test('a derived join table is in the schema of the table of its model', () => {
  const { ownedRelations } = describeOne(
    model('book', { genres: toMany('genre') }, { table: 'shop.works' }),
  )
  expect(ownedRelations[0]!.storage).toMatchObject({
    table: { schema: 'shop', name: 'works_genres' },
  })
})

const book = (fields: object, options: object = {}) =>
  describeOne(model('book', fields as { title: typeof title }, options))

test.each<[string, () => unknown, string]>([
  [
    'a table with three names',
    () => book({ title }, { table: 'a.b.c' }),
    "The option 'table' of the model 'book' must be the name of a table, such as 'books', or of a schema and a table, such as 'public.books'; got 'a.b.c'.",
  ],
  [
    'a table without a name',
    () => book({ title }, { table: '' }),
    "such as 'public.books'; got ''.",
  ],
  [
    'a key without columns',
    () => book({ title }, { key: [] }),
    "The option 'key' of the model 'book' must name a column, or several; got an empty array.",
  ],
  [
    'a key that names a column twice',
    () => book({ title }, { key: ['a', 'a'] }),
    "The option 'key' of the model 'book' names the column 'a' twice. Name each column once.",
  ],
  [
    'a column whose name is too long',
    () => book({ title: field(title, { column: 'x'.repeat(64) }) }),
    "The option 'column' of the field 'title' of the model 'book' must be the name of a column, of 1 to 63 bytes; got 'xxx",
  ],
  [
    'a column that is no name',
    () => book({ genre: toOne('genre', { column: 7 as never }) }),
    "the field 'genre' of the model 'book' must be the name of a column, of 1 to 63 bytes; got '7'.",
  ],
  [
    'two fields with one column',
    () => book({ a: field(title, { column: 'c' }), b: field(title, { column: 'c' }) }),
    "The fields 'a' and 'b' of the model 'book' have the same column 'c'.",
  ],
  [
    'a join table without a target',
    () => book({ genres: toMany('genre', { through: { table: 't', owner: 'o' } as never }) }),
    "The option 'through' of the field 'genres' of the model 'book' must have the members 'table', 'owner' and 'target'.",
  ],
  [
    'a join table with another member',
    () =>
      book({
        genres: toMany('genre', {
          through: { table: 't', owner: 'o', target: 'g', order: 'x' } as never,
        }),
      }),
    "must have the members 'table', 'owner' and 'target'; got 'order' too.",
  ],
  [
    'a join table with one column',
    () => book({ genres: toMany('genre', { through: { table: 't', owner: 'o', target: 'o' } }) }),
    "names the column 'o' as owner and as target. Name two columns.",
  ],
  [
    'a join table of an inverse relation',
    () =>
      describeModels([
        model('book', { genre: toOne('genre') }),
        model('genre', {
          books: toMany('book', {
            inverse: 'genre',
            through: { table: 't', owner: 'o', target: 'g' },
          } as never),
        }),
      ]),
    "The field 'books' of the model 'genre' is the inverse of 'genre' and stores nothing, so it has no join table. Set 'through' on the relation 'genre'.",
  ],
  [
    'a version without a column',
    () => book({ hash: hash({ column: '' }) }),
    "The option 'column' of the field 'hash' of the model 'book' must be the name of a column",
  ],
  [
    'a former name that is the present one',
    () => book({ title: field(title, { was: 'title' }) }),
    "The option 'was' of the field 'title' of the model 'book' is its present name 'title'. Remove it.",
  ],
  [
    'a former name of a model that is no name',
    () => book({ title }, { was: [''] }),
    "The option 'was' of the model 'book' must be a former name, or an array of them; got ''.",
  ],
])('registration refuses %s', (_, register, message) => {
  expect(register).toThrow(RegistrationError)
  expect(register).toThrow(message)
})
