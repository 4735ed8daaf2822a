import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

function shiftAll(queue: FairQueue<string>): string {
  let entries = ''
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) entries += next
  return entries
}

describe('FairQueue', () => {
  it('lets clients take turns, and keeps the order of each', () => {
    const queue = new FairQueue<string>()
    for (const entry of ['1', '2', '3', '4']) queue.push('many', entry)
    queue.push('one', 'a')
    queue.push('two', 'x')
    queue.push('two', 'y')
    expect(queue.peek()).toBe('1')
    expect(shiftAll(queue)).toBe('1ax2y34')
    expect([queue.length, queue.peek(), queue.shift()]).toEqual([0, undefined, undefined])
  })

  it('serves first who has used the least, and nobody saves up', () => {
    const queue = new FairQueue<string>()
    for (const client of ['a', 'b', 'c']) queue.push(client, client)
    let served = ''
    for (let turn = 0; turn < 30; turn++) {
      if (turn === 14) queue.push('small', 's')
      const client = queue.shift()!
      served += client
      queue.charge(client, client === 's' ? 1 : 50)
      if (client !== 's') queue.push(client, client)
    }
    // Those that have used as much go before it, and nobody who has used more.
    expect(served.slice(0, 14)).toBe('abcabcabcabcab')
    expect(served.indexOf('s')).toBeLessThan(17)
  })

  it('asks once for each client and kind, however many entries wait', () => {
    const queue = new FairQueue<string>((entry) => entry[0])
    for (let index = 0; index < 1_000; index++)
      for (const client of ['one', 'other'])
        for (const kind of ['a', 'b']) queue.push(client, `${kind}${client}${index}`)
    let asked = 0
    const shift = (kind: string) => queue.shift((_, entry) => ++asked > 0 && entry[0] === kind)
    expect([shift('none'), asked]).toEqual([undefined, 4])
    expect([shift('b'), shift('b'), shift('b'), asked <= 16]).toEqual([
      'bone0',
      'bother0',
      'bone1',
      true,
    ])
    expect([queue.shift(), queue.delete('other', 'bother1'), queue.length]).toEqual([
      'aother0',
      true,
      3_995,
    ])
  })

  it('forgets entries that do not wait any more', () => {
    const queue = new FairQueue<string>()
    queue.push('a', '1')
    queue.push('b', '2')
    expect([queue.delete('a', '1'), queue.delete('a', '1'), queue.length]).toEqual([true, false, 1])
    expect([queue.shift(), queue.shift()]).toEqual(['2', undefined])
  })

  it('serves every entry once, and a client waits at most one turn of each other client', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 }), (clients) => {
        const queue = new FairQueue<string>()
        for (const [index, client] of clients.entries())
          queue.push(`${client}`, `${client}:${index}`)
        const served: string[] = []
        for (let next = queue.shift(); next; next = queue.shift()) served.push(next)
        expect(served.toSorted()).toEqual(
          clients.map((client, index) => `${client}:${index}`).toSorted(),
        )
        const count = new Set(clients).size
        for (const client of new Set(clients))
          expect(served.findIndex((entry) => entry.startsWith(`${client}:`))).toBeLessThan(count)
      }),
    )
  })
})
