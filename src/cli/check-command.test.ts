import { describe, expect, it } from 'vitest'
import { checkCommand, readCheckOptions } from './check-command.ts'

describe('the options of resourcery check', () => {
  it('become options of the check', () => {
    const values = { only: 'getBooks,getBook', timeout: '50', header: ['X-Key: a'] }
    expect(readCheckOptions(values)).toEqual({
      only: ['getBooks', 'getBook'],
      timeoutMs: 50,
      headers: { 'x-key': 'a' },
    })
  })

  it.each([
    ['timeout', '0', 1],
    ['runs', '0', 1],
    ['seed', '', 0],
  ])('refuse --%s %j', (name, text, min) => {
    expect(() => readCheckOptions({ [name]: text })).toThrow(
      `--${name} must be an integer of at least ${min}; got '${text}'.`,
    )
  })
})

describe('resourcery check', () => {
  it.each([
    [[], 'Missing argument; expected one module or URL.'],
    [['./a.mjs', './b.mjs'], "Unexpected argument './b.mjs'; expected one module or URL only."],
  ])('refuses the arguments %j', async (positionals, message) => {
    await expect(checkCommand.run({ values: {}, positionals })).rejects.toThrow(message)
  })
})
