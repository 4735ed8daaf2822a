import { action, image, model, toMany, toOne } from 'resourcery'
import type { ActionDetails } from 'resourcery/types'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

const Percent = z.object({ percent: z.number() })
const Amount = z.object({ amount: z.number().default(1) })
const Stock = z.object({ stock: z.number() })
const options = { input: Percent, responses: { 409: 'Not now' } } as const

class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
}) {
  rename({ to }: { to: string }) {
    this.name = to
  }

  static {
    action(this, 'rename', z.object({ to: z.string() }))
  }
}

class Book extends model('book', {
  price: z.number(),
  stock: z.number(),
  author: toOne<Author>('author'),
  cover: image(),
}) {
  discount({ percent }: z.infer<typeof Percent>) {
    this.price *= 1 - percent / 100
  }

  async restock({ amount }: { amount: number }) {
    this.stock += amount
    return { stock: this.stock }
  }

  giveAway() {
    this.price = 0
  }

  lose(this: Book, { amount }: { amount?: number }, { items }: ActionDetails) {
    this.stock -= amount ?? 1
    return items(Book).count()
  }

  static {
    action(this, 'discount', Percent)
    action(this, 'restock', { input: Amount, output: Stock, description: 'Adds copies' })
    action(this, 'giveAway')
    action(this, 'lose', Amount)
  }
}

class UsedBook extends Book {
  scratch() {
    this.giveAway()
    return this.restock({ amount: -1 })
  }

  static {
    action(this, 'scratch', { output: Stock })
    // Inherited methods can be marked again.
    action(this, 'discount', options)
    action(this, 'giveAway', {})
  }
}

abstract class Printed extends model('printed', { pages: z.int() }) {
  abstract print(): void

  tear() {
    this.pages -= 1
  }

  static {
    action(this, 'tear')
  }
}

describe('a marked method', () => {
  it('keeps its type', () => {
    const book = {} as UsedBook
    expectTypeOf(book.discount).toEqualTypeOf<(input: { percent: number }) => void>()
    expectTypeOf(book.scratch()).toEqualTypeOf<Promise<{ stock: number }>>()
    expectTypeOf<Printed>().toHaveProperty('tear')
  })

  it('must be a public instance method', () => {
    class Wrong extends model('wrong', { price: z.number() }) {
      static create(): void {}

      get half(): number {
        return this.price / 2
      }

      private secret(): void {}

      protected inner(): void {
        this.secret()
      }

      static {
        // @ts-expect-error there is no such method
        action(this, 'discont')
        // @ts-expect-error the price is a field
        action(this, 'price')
        // @ts-expect-error it is a getter
        action(this, 'half')
        // @ts-expect-error it is static
        action(this, 'create')
        // @ts-expect-error it is private
        action(this, 'secret')
        // @ts-expect-error it is protected
        action(this, 'inner')
        // @ts-expect-error there is no such method, with options
        action(this, 'discont', { input: Percent })
      }
    }
    expectTypeOf(Wrong).toBeConstructibleWith({ id: '1', price: 1 })
  })

  it('must take what its input schema gives', () => {
    class Wrong extends model('wrong', { price: z.number() }) {
      discount({ percent }: { percent: string }): void {
        this.price = Number(percent)
      }

      raise({ rate }: { rate: number }): void {
        this.price *= rate
      }

      set(price: number): void {
        this.price = price
      }

      reset(price?: { percent: string }): { stock: number } {
        return { stock: Number(price) }
      }

      static {
        // @ts-expect-error the schema gives a number
        action(this, 'discount', Percent)
        // @ts-expect-error the schema gives a number, in options
        action(this, 'discount', { input: Percent })
        // @ts-expect-error the schema gives no such member
        action(this, 'raise', Percent)
        // @ts-expect-error nothing is sent where no input is declared
        action(this, 'set')
        // @ts-expect-error nor with options
        action(this, 'set', { output: Stock })
        // @ts-expect-error a parameter that is optional has a type too
        action(this, 'reset', Percent)
        // @ts-expect-error also with an output
        action(this, 'reset', { input: Percent, output: Stock })
        // @ts-expect-error what an action gets without an input is no input
        action(this, 'reset', { output: Stock })
      }
    }
    expectTypeOf(Wrong).toBeConstructibleWith({ id: '1', price: 1 })
  })

  it('must return what its output schema takes', () => {
    class Wrong extends model('wrong', { price: z.number() }) {
      count() {
        return { price: this.price }
      }

      async recount() {
        return { price: this.price }
      }

      static {
        // @ts-expect-error the output has a stock
        action(this, 'count', { output: Stock })
        // @ts-expect-error later too
        action(this, 'recount', { output: Stock })
        action(this, 'recount', { output: z.object({ price: z.number() }) })
      }
    }
    expectTypeOf(Wrong).toBeConstructibleWith({ id: '1', price: 1 })
  })

  it('has no options that do not exist', () => {
    class Wrong extends model('wrong', { price: z.number() }) {
      discount({ percent }: { percent: number }): void {
        this.price *= 1 - percent / 100
      }

      static {
        // @ts-expect-error there is no option of this name
        action(this, 'discount', { input: Percent, imput: Percent })
        // @ts-expect-error an option has a type
        action(this, 'discount', { input: Percent, description: 1 })
      }
    }
    expectTypeOf(Wrong).toBeConstructibleWith({ id: '1', price: 1 })
  })

  it('belongs to a model', () => {
    class Plain {
      run(): void {}

      static {
        // @ts-expect-error it is no model
        action(this, 'run')
      }
    }
    expectTypeOf(Plain).toBeConstructibleWith()
    // @ts-expect-error a function is not marked by itself
    expectTypeOf(() => action(Percent, () => undefined)).toBeFunction()
  })
})
