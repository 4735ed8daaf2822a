import { model } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { describeModels } from '../../src/model/describe/describe-models.ts'
import { stores } from '../support/stores.ts'

const Note = model('note', {})

describe.each(stores)('Writers on $name', ({ make }) => {
  it('take turns, so that the writes of one client do not keep another waiting', async () => {
    const store = await make()
    await store.open(describeModels([Note]))
    const order: string[] = []
    const write = (client: string) =>
      store.write(
        async () => {
          order.push(client)
          // Longer than a group of writes takes that are committed together.
          await new Promise((resolve) => setTimeout(resolve, 25))
        },
        { signal: new AbortController().signal, client },
      )
    const many = Array.from({ length: 12 }, () => write('many'))
    const others = Array.from({ length: 6 }, (_, index) => write(`other ${index}`))
    // The clients of the many and of the others had as many turns by now.
    await others[0]
    const late = write('late')
    await Promise.all([late, ...others, ...many])
    const waited = order.slice(0, order.indexOf('other 5')).filter((client) => client === 'many')
    expect(waited.length).toBeLessThan(6)
    expect(order.slice(order.indexOf('late')).filter((client) => client === 'many')).not.toEqual([])
  })
})
