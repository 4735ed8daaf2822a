import { expect, test } from 'vitest'
import { differingLines } from './compare-files.ts'

test('lines that differ are named in their order, and others are not', () => {
  expect(differingLines('a\nb\nc\nd', 'a\nc\nx\nd\ne')).toEqual(['- b', '+ x', '+ e'])
  expect(differingLines('a\nb', 'a\nb')).toEqual([])
  expect(differingLines('', 'a')).toEqual(['- ', '+ a'])
})
