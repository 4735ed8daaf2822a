import { expect, test } from 'vitest'
import { DocumentRoom, SharedRoom } from './include-room.ts'

const limits = { parallel: 1, waiting: 1, waitMs: 60_000, heldBytes: 100 }
const overloaded = { status: 503, headers: { 'retry-after': '1' } }

function room(given: Partial<typeof limits> = {}) {
  const shared = new SharedRoom({ ...limits, ...given })
  const left = new AbortController()
  return { shared, left, document: () => new DocumentRoom(shared, left) }
}

test('a document keeps nobody waiting once it has given its slot back, and holds bytes until it is closed', async () => {
  const { shared, document } = room()
  const [first, second] = [document(), document()]
  await first.enter(60)
  first.leave()
  await second.enter(30)
  expect(shared.heldBytes).toBe(90)
  second.close()
  await first.enter(80)
  expect(shared.heldBytes).toBe(80)
  first.close()
  first.close()
  expect(shared.heldBytes).toBe(0)
})

test('no document begins while others hold too much, and those that have begun go on', async () => {
  const { document } = room()
  const first = document()
  await first.enter(100)
  first.leave()
  await expect(document().enter(1)).rejects.toMatchObject(overloaded)
  await first.enter(200)
  first.close()
  await document().enter(1)
})

test('one that waited while others came to hold too much does not begin either, and leaves its slot to the next', async () => {
  const { document } = room()
  const first = document()
  await first.enter(1)
  const waiting = document().enter(1)
  await first.enter(100)
  first.leave()
  await expect(waiting).rejects.toMatchObject(overloaded)
  first.close()
  await document().enter(1)
})

test('so many wait, and so long, and none whose client has left', async () => {
  const { left, document } = room({ waitMs: 50 })
  const first = document()
  await first.enter(1)
  const waiting = document().enter(1)
  await expect(document().enter(1)).rejects.toMatchObject(overloaded)
  await expect(waiting).rejects.toMatchObject(overloaded)
  const leaving = document().enter(1)
  left.abort(new Error('left'))
  await expect(leaving).rejects.toThrow('left')
})

test('a document that is given up while it waits takes no slot', async () => {
  const { shared, document } = room()
  const [first, second] = [document(), document()]
  await first.enter(1)
  const waiting = second.enter(50)
  second.close()
  first.close()
  await waiting
  expect(shared.heldBytes).toBe(0)
  await document().enter(1)
})
