import { afterEach, expect, test, vi } from 'vitest'
import { errorReporter } from './error-reporter.ts'
import { eventually } from './raw-client.testing.ts'

const fault = new Error('what happened')
const another = new Error('the log is full')

afterEach(() => {
  vi.restoreAllMocks()
})

test.each([
  [
    'throws',
    () => {
      throw another
    },
  ],
  ['rejects', async () => Promise.reject(another)],
])(
  'where onError %s, both faults go to standard error, and nothing else happens',
  async (_, onError) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    errorReporter(onError)(fault)
    expect(await eventually(() => printed.mock.calls.length > 0)).toBe(true)
    expect(printed.mock.calls).toEqual([[fault, another]])
  },
)

test('onError gets the fault with its details', () => {
  const onError = vi.fn()
  errorReporter<[string]>(onError)(fault, 'GET /books')
  expect(onError.mock.calls).toEqual([[fault, 'GET /books']])
})
