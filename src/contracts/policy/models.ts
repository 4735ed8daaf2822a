import { z } from 'zod'
import {
  type AnyModel,
  action,
  field,
  file,
  hash,
  type LoadedItem,
  model,
  type Router,
  toMany,
  toOne,
} from '../../index.ts'

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

const Copies = z.object({ copies: z.int().min(1) })

/** An item with a binary resource and with actions: two methods and a callable. */
class Poster extends model('poster', {
  title: z.string().min(1),
  printed: z.int().nonnegative(),
  scan: file({ types: ['text/plain'] }),
  hash: hash(),
}) {
  /** Responds with its output. */
  print({ copies }: z.infer<typeof Copies>): { total: number } {
    this.printed += copies
    return { total: this.printed }
  }

  /** Responds with the item. */
  retire(): void {
    this.title = `${this.title} (retired)`
  }

  static {
    action(this, 'print', { input: Copies, output: z.object({ total: z.int() }) })
    action(this, 'retire')
  }
}

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
  [Poster, [{ id: 'bats', title: 'Bats', printed: 2 }]],
]

/** Registers the models of the contract, and stores its items. */
export async function loadModels(router: Router): Promise<void> {
  router.prepare(Author)
  router.prepare(Genre)
  router.prepare(Book).map(({ remark: _, ...item }) => item, { hides: ['remark'] })
  router.prepare(Poster).itemOperation(
    'reprint',
    ({ item: poster, input: { copies } }) => {
      poster.printed = copies
    },
    { input: Copies },
  )
  for (const [entry, items] of storedItems) await router.load(entry, items)
}
