import { expect, it, vi } from 'vitest'
import { service } from '../../test/support/service.ts'
import { memory } from '../store/memory/memory.ts'

const endCheck = vi.hoisted(() => vi.fn(async () => {}))
vi.mock('./check-in-background.ts', () => ({ checkInBackground: () => endCheck }))

it('ends the check of stored values with the streams, because it reads for as long as they do', async () => {
  const { router } = service(memory(), [])
  await router.open()
  expect(endCheck).not.toHaveBeenCalled()
  router.endStreams?.()
  expect(endCheck).toHaveBeenCalledOnce()
  await router.close()
})
