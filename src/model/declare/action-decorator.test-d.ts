import { Action, model } from 'resourcery'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

const Percent = z.object({ percent: z.number() })
const Amount = z.object({ amount: z.number().default(1) })
const Stock = z.object({ stock: z.number() })

class Book extends model('book', { price: z.number(), stock: z.number() }) {
  @Action({ input: Percent })
  discount({ percent }: { percent: number }): void {
    this.price *= 1 - percent / 100
  }

  @Action({ input: Amount, output: Stock })
  async restock({ amount }: { amount: number }): Promise<{ stock: number }> {
    this.stock += amount
    return { stock: this.stock }
  }

  @Action(Percent)
  raise({ percent }: { percent: number }): void {
    this.price *= 1 + percent / 100
  }

  @Action
  giveAway(): void {
    this.price = 0
  }

  @Action()
  sellOut(): void {
    this.stock = 0
  }
}

describe('a decorated method', () => {
  it('keeps its type', () => {
    const book = new Book({ id: '1', price: 1, stock: 1 })
    expectTypeOf(book.discount).toEqualTypeOf<(input: { percent: number }) => void>()
    expectTypeOf(book.restock({ amount: 1 })).toEqualTypeOf<Promise<{ stock: number }>>()
  })

  it('has to take what its input schema gives', () => {
    class Wrong extends model('wrong', { price: z.number() }) {
      // @ts-expect-error the schema gives a number
      @Action({ input: Percent })
      discount({ percent }: { percent: string }): void {
        this.price = Number(percent)
      }

      // @ts-expect-error the schema gives no such member
      @Action(Percent)
      raise({ rate }: { rate: number }): void {
        this.price *= rate
      }

      // @ts-expect-error nothing is sent where no input is declared
      @Action
      set(price: number): void {
        this.price = price
      }

      // @ts-expect-error nor here
      @Action({ output: Stock })
      reset(price: number): { stock: number } {
        return { stock: price }
      }
    }
    expectTypeOf(Wrong).toBeConstructibleWith({ id: '1', price: 1 })
  })

  it('has to return what its output schema takes', () => {
    class Wrong extends model('wrong', { price: z.number() }) {
      // @ts-expect-error the output has a stock
      @Action({ output: Stock })
      count(): { price: number } {
        return { price: this.price }
      }

      // @ts-expect-error later too
      @Action({ output: Stock })
      async recount(): Promise<{ price: number }> {
        return { price: this.price }
      }
    }
    expectTypeOf(Wrong).toBeConstructibleWith({ id: '1', price: 1 })
  })

  it('refuses options that do not exist', () => {
    // @ts-expect-error there is no option of this name
    Action({ imput: Percent })
  })

  it('marks methods only', () => {
    class Wrong extends model('wrong', { price: z.number() }) {
      // @ts-expect-error a property is no method
      @Action
      size = 1
    }
    expectTypeOf(Wrong).toBeConstructibleWith({ id: '1', price: 1 })
  })
})
