import { performance } from 'node:perf_hooks'
import { createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, test } from 'vitest'
import { z } from 'zod'

const Note = model('note', { title: z.string() })

test('many long queries with faults at once are read in several turns of the event loop', async () => {
  const router = createRouter({ policy: rest(), store: memory() })
  router.prepare(Note)
  const names = Array.from({ length: 2_500 }, (_, index) => `titl${index}`).join(',')
  const request = () => new Request(`http://localhost/notes?fields[notes]=${names}`)
  await (await router.handle(request())).text()
  let turns = 0
  let isOver = false
  const countTurns = (): void => {
    turns++
    if (!isOver) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  const startedAt = performance.now()
  const responses = await Promise.all(Array.from({ length: 100 }, () => router.handle(request())))
  isOver = true
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([400]))
  // Each turn reads at least one, and ends after some milliseconds.
  expect(turns).toBeGreaterThan(Math.min(20, (performance.now() - startedAt) / 20))
})
