import { expect, it } from 'vitest'
import { Share } from './share.ts'

it('Share has room within its number, that of the client and that of the larger share', () => {
  const larger = new Share({ max: 4 })
  const share = new Share({ max: 3, maxPerClient: 2, within: larger })
  share.enter('a')
  share.enter('a')
  expect([share.hasRoomFor('a'), share.hasRoomFor('b')]).toEqual([false, true])
  larger.enter('c')
  larger.enter('c')
  expect([share.hasRoomFor('b'), larger.hasRoomFor('b')]).toEqual([false, false])
  larger.leave('c')
  share.enter('b')
  expect([share.count, larger.count]).toEqual([3, 4])
  share.leave('a')
  expect([share.hasRoomFor('a'), share.hasRoomFor('b')]).toEqual([true, true])
  share.leave('a')
  share.leave('b')
  larger.leave('c')
  expect([share.count, larger.count]).toEqual([0, 0])
})
