import { dateTime, derived, type Items, model } from 'resourcery'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

class Book extends model('book', {
  title: z.string(),
  price: z.number(),
  published: dateTime({ date: true }),
  year: derived({
    from: ['published'],
    schema: z.int(),
    compute: ({ published }: { published: Date }) => published.getUTCFullYear(),
  }),
}) {}

describe('derived values', () => {
  it('are made of the named members', () => {
    derived({
      from: ['price', 'title'],
      schema: z.string(),
      compute: (values) => {
        expectTypeOf(values).toHaveProperty('price')
        expectTypeOf(values).toHaveProperty('title')
        // @ts-expect-error it is not named
        return `${values.cost}`
      },
    })
  })

  it('are made of no member that is not named', () => {
    derived({
      from: ['price'],
      schema: z.number(),
      // @ts-expect-error 'discount' is not named
      compute: ({ price, discount }: { price: number; discount: number }) => price - discount,
    })
    derived({
      from: ['price', 'discount'],
      schema: z.number(),
      // What it does not need, it need not take.
      compute: ({ price }: { price: number }) => price,
    })
  })

  it('fit the schema', () => {
    // @ts-expect-error a number is no text
    derived({ from: ['price'], schema: z.string(), compute: ({ price }) => Number(price) })
    // @ts-expect-error a promise is none either
    derived({ from: ['price'], schema: z.string(), compute: async () => 'x' })
  })

  it('are members of items, and of no new item that has to have them', () => {
    expectTypeOf<InstanceType<typeof Book>['year']>().toEqualTypeOf<number>()
    type Created = Parameters<Items<typeof Book>['create']>[0]
    expectTypeOf<{ title: string; price: number; published: Date }>().toExtend<Created>()
    expectTypeOf<{ title: string; published: Date }>().not.toExtend<Created>()
  })
})
