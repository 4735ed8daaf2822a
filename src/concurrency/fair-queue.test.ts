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

  it('serves one that has used much, however many new clients come', () => {
    const queue = new FairQueue<string>()
    queue.push('much', 'much')
    queue.charge('much', 500)
    for (const client of ['1', '2', '3']) queue.push(client, client)
    let turns = 4
    for (let client = queue.shift()!; client !== 'much' && turns < 5_000; client = queue.shift()!) {
      queue.charge(client, 20)
      queue.push(`${turns}`, `${turns++}`)
    }
    expect(turns).toBeLessThan(3 * 500 + 10)
  })

  it('remembers no more clients than wait and have used much', () => {
    const queue = new FairQueue<string>()
    queue.push('client 0', 'client 0')
    for (let index = 1; index < 10_000; index++) {
      queue.push(`client ${index}`, `client ${index}`)
      queue.charge(queue.shift()!, 5)
    }
    expect(queue.clientCount).toBeLessThan(100)
    queue.shift()
    queue.charge('client 0', 1_000)
    expect(queue.clientCount).toBeLessThan(100)
  })

  it('remembers a client that gave up waiting, and what it was charged meanwhile', () => {
    const queue = new FairQueue<string>()
    queue.push('a', 'a')
    queue.push('b', 'b')
    queue.charge('a', 3)
    queue.delete('a', 'a')
    queue.push('a', 'a')
    for (const entry of ['c', 'd']) queue.push('b', entry)
    expect(shiftAll(queue)).toBe('bcda')
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

  /** Each step is a client that comes, or undefined for a turn. */
  const steps = fc
    .array(
      fc.oneof(
        fc.constant([undefined]),
        fc.integer({ min: 0, max: 5 }).map((client) => [`${client}`]),
        // New clients that keep coming.
        fc
          .integer({ min: 1, max: 30 })
          .map((count) => Array(count).fill(['new', undefined]).flat()),
      ),
      { maxLength: 100 },
    )
    .map((steps): readonly (string | undefined)[] => steps.flat())

  it('serves each client within two turns of each that waits beside it, whoever comes', () => {
    fc.assert(
      fc.property(steps, (steps) => {
        const queue = new FairQueue<string>()
        /** Of each client: how many entries wait, for how many turns, and beside how many. */
        const waiting = new Map<string, { entries: number; turns: number; mostClients: number }>()
        const turn = (): void => {
          const client = queue.shift()?.split(':')[0]
          if (client === undefined) return
          for (const [other, wait] of waiting) {
            wait.turns++
            if (other === client || wait.turns <= 2 * wait.mostClients) continue
            throw new Error(`'${other}' has waited for ${wait.turns} turns.`)
          }
          const wait = waiting.get(client)!
          if (--wait.entries === 0) waiting.delete(client)
          else Object.assign(wait, { turns: 0, mostClients: waiting.size })
        }
        for (const [index, step] of steps.entries()) {
          if (step === undefined) {
            turn()
            continue
          }
          const client = step === 'new' ? `new ${index}` : step
          queue.push(client, `${client}:${index}`)
          const wait = waiting.get(client)
          if (wait) wait.entries++
          else waiting.set(client, { entries: 1, turns: 0, mostClients: 0 })
          for (const each of waiting.values())
            each.mostClients = Math.max(each.mostClients, waiting.size)
        }
        while (queue.length > 0) turn()
        expect(waiting.size).toBe(0)
      }),
      { numRuns: 300 },
    )
  })

  it('gives two clients that always wait as many turns each, whoever else comes', () => {
    const together = fc.record({
      steps,
      /** Whether a client has several entries, or comes again after each turn. */
      lengths: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
    })
    fc.assert(
      fc.property(together, ({ steps, lengths }) => {
        const queue = new FairQueue<string>()
        const turns = { a: 0, b: 0 }
        for (const [index, client] of (['a', 'b'] as const).entries())
          for (let entry = 0; entry < lengths[index]!; entry++)
            queue.push(client, `${client}${entry}`)
        for (const [index, step] of steps.entries()) {
          if (step !== undefined) {
            const client = step === 'new' ? `new ${index}` : step
            queue.push(client, `other ${index}`)
            continue
          }
          const entry = queue.shift()!
          const client = entry[0]
          if (client === 'o') continue
          if (client !== 'a' && client !== 'b') throw new Error(entry)
          turns[client]++
          expect(Math.abs(turns.a - turns.b)).toBeLessThanOrEqual(1)
          queue.push(client, entry)
        }
      }),
      { numRuns: 300 },
    )
  })
})
