import { expect, test } from 'vitest'
import { z } from 'zod'
import { model } from '../declare/model.ts'
import { toOne } from '../declare/relation.ts'
import { describeModels } from './describe-models.ts'

test('a model has the texts in which it or another one searches, each once', () => {
  const address = z.object({ city: z.string(), street: z.string() })
  const [author, book, review] = describeModels([
    model('author', { name: z.string(), note: z.string(), address }, { search: ['name'] }),
    model(
      'book',
      { title: z.string(), author: toOne('author') },
      { search: { 'author.name': 1, 'author.address.city': 2, title: 3 } },
    ),
    model('review', { book: toOne('book') }, { search: ['book.author.name', 'book.title'] }),
  ])
  const textsOf = ({ searchedTexts }: NonNullable<typeof book>) =>
    searchedTexts.map(({ field, members }) => [field.name, ...members].join('.'))
  expect(textsOf(author!)).toEqual(['name', 'address.city'])
  expect(textsOf(book!)).toEqual(['title'])
  expect(textsOf(review!)).toEqual([])
})
