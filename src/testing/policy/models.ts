import { z } from 'zod'
import type { LoadedItem } from '../../api/load-items.ts'
import type { Router } from '../../api/router.ts'
import { field, hash, toMany, toOne } from '../../model/declare/field.ts'
import { type AnyModel, model } from '../../model/declare/model.ts'

/** Values that no response may contain. */
export const secretValues = ['hidden-4711', 'write-only-4711', 'mapped-away-4711'] as const

const Author = model('author', {
  name: z.string().min(1),
  books: toMany('book', { inverse: 'author' }),
})

const Genre = model('genre', { name: z.string() }, { ids: 'client' })

const Book = model('book', {
  title: z.string().min(1),
  price: z.number().nonnegative(),
  note: z.string().optional(),
  pageCount: field(z.int().positive().optional(), { wire: 'pages' }),
  author: toOne('author'),
  genres: toMany('genre'),
  costPrice: field(z.string().optional(), { hidden: true }),
  password: field(z.string().optional(), { writeOnly: true }),
  remark: z.string().optional(),
  hash: hash(),
})

const [hidden, writeOnly, mapped] = secretValues

/** The items of a new service. */
const storedItems: readonly (readonly [AnyModel, readonly LoadedItem[]])[] = [
  [
    Author,
    [
      { id: 'shelley', name: 'Mary Shelley' },
      { id: 'stoker', name: 'Bram Stoker' },
    ],
  ],
  [
    Genre,
    [
      { id: 'horror', name: 'Horror' },
      { id: 'classic', name: 'Classic' },
    ],
  ],
  [
    Book,
    ['dracula', 'frankenstein', 'the-last-man'].map((id, index) => ({
      id,
      title: `Title ${index}`,
      price: index + 1,
      note: `Note ${index}`,
      pageCount: 100 + index,
      author: index === 0 ? 'stoker' : 'shelley',
      genres: ['horror'],
      costPrice: hidden,
      password: writeOnly,
      remark: mapped,
    })),
  ],
]

/** Registers the models of the contract, and stores its items. */
export async function loadModels(router: Router): Promise<void> {
  router.prepare(Author)
  router.prepare(Genre)
  router.prepare(Book).map(({ remark: _, ...item }) => item, { hides: ['remark'] })
  for (const [entry, items] of storedItems) await router.load(entry, items)
}
