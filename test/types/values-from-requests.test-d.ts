import { type Context, field, type Items, model, stateKey, toOne } from 'resourcery'
import type { RequestContext } from 'resourcery/types'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

const caller = stateKey<{ readonly id: string }>('caller')

class User extends model('user', { name: z.string() }) {
  greeting(): string {
    return this.name
  }
}

class Talk extends model('talk', {
  title: z.string(),
  speaker: toOne<User>('user', { from: ({ state }) => state.get(caller)?.id }),
  reviewer: toOne<User>('user', { optional: true, readOnly: true }),
  origin: field(z.string(), { from: ({ request }) => request.headers.origin }),
}) {}

describe('values that come from the request', () => {
  it('are made from what every context has', () => {
    expectTypeOf<Context>().toExtend<RequestContext>()
    field(z.int(), {
      from: (context) => {
        expectTypeOf(context).toEqualTypeOf<RequestContext>()
        return 1
      },
    })
  })

  it('fit what the schema accepts, or the id of a related item', () => {
    // @ts-expect-error a text is no integer
    field(z.int(), { from: () => 'one' })
    // @ts-expect-error a number is no id
    toOne('user', { from: () => 1 })
    // @ts-expect-error there is one request for each value
    field(z.int(), { from: (_context, _more: string) => 1 })
  })

  it('have the types of their fields in items', () => {
    type Item = InstanceType<typeof Talk>
    expectTypeOf<Item['origin']>().toEqualTypeOf<string>()
    expectTypeOf<Item['speaker']['name']>().toEqualTypeOf<string>()
    expectTypeOf<Item['reviewer']>().toBeNullable()
  })

  it('may be left out of new items in code, where a caller fills them in', () => {
    type Created = Parameters<Items<typeof Talk>['create']>[0]
    expectTypeOf<{ title: string }>().toExtend<Created>()
    expectTypeOf<{ title: string; speaker: string; origin: string }>().toExtend<Created>()
    expectTypeOf<{ title: string; speaker: number }>().not.toExtend<Created>()
    expectTypeOf<{ speaker: string }>().not.toExtend<Created>()
  })
})
