import { expect, it } from 'vitest'
import { StoreClosed } from '../store-failures.ts'
import { lazyConnection } from './lazy-connection.ts'

/** What happens, in its order; the connection is made when `made` is called. */
function watched() {
  const events: string[] = []
  let settle: { made(name: string): void; failed(error: Error): void } | undefined
  const made = lazyConnection(
    'The store',
    () => {
      events.push('connect')
      return new Promise<string>((resolve, reject) => {
        settle = { made: resolve, failed: reject }
      })
    },
    async (opened) => {
      events.push(`disconnect ${opened}`)
    },
  )
  return {
    ...made,
    events,
    connects: (name: string) => settle!.made(name),
    fails: (why: Error) => settle!.failed(why),
  }
}

it('connects once for all who ask at the same time', async () => {
  const { ready, whenOpen, connects, events } = watched()
  const all = [ready(), whenOpen(async (opened) => `${opened}, too`), ready()]
  connects('one')
  expect(await Promise.all(all)).toEqual(['one', 'one, too', 'one'])
  expect(events).toEqual(['connect'])
})

it('connects once, whenever somebody asks while it is being opened', async () => {
  const { ready, connects, events } = watched()
  const all = [ready()]
  connects('one')
  for (let turn = 0; turn < 8; turn++) {
    await null
    all.push(ready())
  }
  await Promise.all(all)
  expect(events).toEqual(['connect'])
})

it('closes what it opened, whenever that is asked while it is being opened', async () => {
  for (let turns = 0; turns < 8; turns++) {
    const { ready, close, connects, events } = watched()
    const early = ready()
    connects('one')
    for (let turn = 0; turn < turns; turn++) await null
    await Promise.all([early, close()])
    expect(events).toEqual(['connect', 'disconnect one'])
  }
})

it('runs the work at once when it is open', async () => {
  const { ready, whenOpen, connects, current } = watched()
  expect(current()).toBeUndefined()
  const first = ready()
  connects('one')
  await first
  expect(current()).toBe('one')
  let ran = false
  void whenOpen(async () => {
    ran = true
  })
  expect(ran).toBe(true)
})

it('tries again after it could not connect', async () => {
  const { ready, connects, fails, events } = watched()
  const [one, other] = [ready(), ready()]
  fails(new Error('no room'))
  await expect(one).rejects.toThrow('no room')
  await expect(other).rejects.toThrow('no room')
  const again = ready()
  connects('two')
  expect(await again).toBe('two')
  expect(events).toEqual(['connect', 'connect'])
})

it('waits for what is being opened before it closes it, and closes it once', async () => {
  const { ready, close, connects, events, current } = watched()
  const early = ready()
  const closing = [close(), close()]
  connects('one')
  await Promise.all([early, ...closing])
  expect(events).toEqual(['connect', 'disconnect one'])
  expect(current()).toBeUndefined()
})

it('is not opened again once it is closed, nor opened only to be closed', async () => {
  const { ready, close, events } = watched()
  await close()
  await expect(ready()).rejects.toThrow(new StoreClosed('The store is closed.'))
  expect(events).toEqual([])
})
