import { type Context, stateKey } from 'resourcery'
import { describe, expectTypeOf, it } from 'vitest'

describe('the state of a request', () => {
  const caller = stateKey<{ id: string }>('caller')

  it('gives values the types of their keys, without casts', () => {
    const read = ({ state }: Context) => state.get(caller)
    expectTypeOf<ReturnType<typeof read>>().toEqualTypeOf<{ id: string } | undefined>()
    const write = ({ state }: Context) => state.set(caller, { id: 'ada' })
    expectTypeOf(write).toBeFunction()
    // @ts-expect-error the key wants an object with an id
    const wrong = ({ state }: Context) => state.set(caller, 'ada')
    expectTypeOf(wrong).toBeFunction()
  })

  it('is an ordinary map for other keys', () => {
    const read = ({ state }: Context) => state.set('caller', 5).get('caller')
    expectTypeOf<ReturnType<typeof read>>().toEqualTypeOf<unknown>()
    expectTypeOf<Context['state']>().toExtend<Map<unknown, unknown>>()
  })
})
