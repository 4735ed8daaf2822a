import { setImmediate as immediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { importWithoutOpening, openUnlessImported } from './without-opening.ts'

const refusal = () => new Error('It opens its router.')

it('opens routers of code that is not imported so', async () => {
  expect(await importWithoutOpening(async () => 'module', refusal)).toBe('module')
  expect(await openUnlessImported(async () => 'open')).toBe('open')
})

it('refuses an import that opens a router, and opens nothing', async () => {
  const open = vi.fn(async () => undefined)
  const importing = importWithoutOpening(async () => {
    await immediate()
    await openUnlessImported(open)
  }, refusal)
  await expect(importing).rejects.toThrow('It opens its router.')
  expect(open).not.toHaveBeenCalled()
})

it('opens nothing for code that goes on after the import', async () => {
  const open = vi.fn(async () => undefined)
  let isLate = false
  await importWithoutOpening(async () => {
    setImmediate(() => {
      isLate = true
      void openUnlessImported(open)
    })
  }, refusal)
  await vi.waitFor(() => expect(isLate).toBe(true))
  expect(open).not.toHaveBeenCalled()
})
