import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { hookApprovals, type OtherUpdate } from './with-approvals.ts'

test('requests that run hooks for many items share the event loop', async () => {
  let hookRuns = 0
  let isDone = false
  const hook = () => {
    hookRuns++
    const end = performance.now() + 1
    while (performance.now() < end);
    return undefined
  }
  const model = { name: 'book' } as ModelDescription
  const update = { rule: undefined, hooks: [{ run: hook }] } as unknown as OtherUpdate
  const context = {
    rule: {},
    request: {},
    signal: new AbortController().signal,
  } as unknown as Context
  const ids = Array.from({ length: 10 }, (_, n) => `${n}`)
  const all = Promise.all(
    Array.from({ length: 40 }, () =>
      hookApprovals(new Map([[model, update]]), context).request({ model, ids }),
    ),
  ).then(() => {
    isDone = true
  })
  let maxPerTurn = 0
  for (let before = hookRuns; !isDone; before = hookRuns) {
    await setImmediate()
    maxPerTurn = Math.max(maxPerTurn, hookRuns - before)
  }
  await all
  expect(hookRuns).toBe(400)
  // Without sharing, each request would run hooks for 5 ms: 200 in one turn.
  expect(maxPerTurn).toBeLessThan(60)
})
