import { expect, it } from 'vitest'
import { startOptions } from './start-options.ts'

const exported = { port: 1, host: '::1', trustProxy: 1 }

it('takes what is typed, then the variable PORT, then what the module exports', () => {
  expect(startOptions('x.mjs', { port: '3', host: '0.0.0.0' }, exported, { PORT: '2' })).toEqual({
    port: 3,
    host: '0.0.0.0',
    trustProxy: 1,
  })
  expect(startOptions('x.mjs', {}, exported, { PORT: '2' })).toEqual({ ...exported, port: 2 })
  expect(startOptions('x.mjs', {}, exported, { PORT: '' })).toEqual(exported)
  expect(startOptions('x.mjs', { workers: 'auto' }, undefined, {})).toEqual({
    port: 3_000,
    workers: 'auto',
  })
})

it('says all that is wrong at once, and where it is', () => {
  expect(() => startOptions('x.mjs', { port: 'x', workers: 'y' }, 5, {})).toThrow(
    [
      "The 'serveOptions' that x.mjs exports must be a plain object with options of serve(), such as { host: '0.0.0.0' }; got 5.",
      "--port must be an integer of at least 0; got 'x'.",
      "--workers must be an integer of at least 1, or 'auto'; got 'y'.",
    ].join('\n'),
  )
  expect(() => startOptions('x.mjs', {}, undefined, { PORT: 'abc' })).toThrow(
    "The variable PORT must be an integer of at least 0; got 'abc'.",
  )
})

it.each([null, [], new Map(), Promise.resolve({}), () => ({})])(
  'refuses serveOptions that would be lost: %s',
  (wrong) => {
    expect(() => startOptions('x.mjs', {}, wrong, {})).toThrow("The 'serveOptions' that x.mjs")
  },
)

it('does not look at a variable PORT that an option replaces', () => {
  expect(startOptions('x.mjs', { port: '1' }, undefined, { PORT: 'abc' })).toEqual({ port: 1 })
})
