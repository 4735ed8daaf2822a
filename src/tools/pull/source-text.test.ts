import { expect, it } from 'vitest'
import { commentLines, quoted } from './source-text.ts'

const lineEnds = ['\n', '\r', '\r\n', '\u2028', '\u2029']

it.each(lineEnds)('no line end leads out of a comment: %j', (lineEnd) => {
  expect(commentLines(`a${lineEnd}process.exit()`)).toEqual(['// a', '// process.exit()'])
})

it.each([...lineEnds, "'", '"', '\\', '`', '\\"', "\\'"])('quotes %j', (text) => {
  const source = quoted(`a${text}b`)
  expect(source).not.toMatch(/[\n\r\u2028\u2029]/)
  expect(new Function(`return ${source}`)()).toBe(`a${text}b`)
})
