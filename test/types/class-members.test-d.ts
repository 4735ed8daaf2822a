import { createRouter, type DraftOf, model, toMany, toOne, type ValuesOf } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
}) {}

class Book extends model(
  'book',
  { title: z.string(), price: z.number(), author: toOne<Author>('author') },
  {
    validate: (item, issue) => {
      expectTypeOf(item.title).toBeString()
      const book = item as unknown as Book
      if (book.isFree()) issue('price', 'must not be 0')
    },
  },
) {
  get label() {
    return `${this.title} (€ ${this.price})`
  }

  get heading() {
    return this.title
  }

  set heading(text: string) {
    this.title = text
  }

  isFree(): boolean {
    return this.price === 0
  }
}

const Genre = model('genre', { name: z.string() })

const router = createRouter({ policy: rest(), store: memory() })

describe('The class of a model', () => {
  it('gives its getters and methods to items of hooks around writes', () => {
    router.prepare(Book).use({
      write: {
        before: ({ next, previous, refuse }) => {
          expectTypeOf(previous?.label).toEqualTypeOf<string | undefined>()
          if (!next) return
          expectTypeOf(next.label).toBeString()
          expectTypeOf(next.isFree).returns.toBeBoolean()
          expectTypeOf(next.author).toBeString()
          next.title = 'Emma'
          next.heading = 'Emma'
          // @ts-expect-error it has no setter
          next.label = 'Emma'
          // @ts-expect-error the id stays
          next.id = 'emma'
          // @ts-expect-error there is no such member
          next.labl
          // @ts-expect-error items that relate to it are no values of it
          ;(next as ValuesOf<Author>).books
          refuse('title', 'is taken')
          // @ts-expect-error a client cannot send it
          refuse('label', 'is taken')
        },
        after: ({ item }) => {
          expectTypeOf(item?.label).toEqualTypeOf<string | undefined>()
        },
        afterCommit: ({ item }) => {
          expectTypeOf(item?.isFree()).toEqualTypeOf<boolean | undefined>()
          // @ts-expect-error it is stored
          if (item) item.title = 'Emma'
        },
      },
    })
  })

  it('gives them to items of mappers, with related items', () => {
    router.prepare(Book).map((book) => {
      expectTypeOf(book.label).toBeString()
      expectTypeOf(book.isFree).returns.toBeBoolean()
      return { ...book, title: `${book.label} by ${book.author.name}` }
    })
  })

  it('adds nothing where there is none', () => {
    type GenreItem = InstanceType<typeof Genre>
    expectTypeOf<keyof ValuesOf<GenreItem>>().toEqualTypeOf<'id' | 'name'>()
    expectTypeOf<keyof DraftOf<GenreItem>>().toEqualTypeOf<'id' | 'name'>()
    router.prepare(Genre).use({ write: { before: ({ next }) => void next?.name } })
  })
})
