import { describe, expect, it } from 'vitest'
import type { MoveReport } from '../moving/move-options.ts'
import { progressPrinter } from './print-progress.ts'
import { problemsOf, summaryOf } from './run-move.ts'

const report: MoveReport = {
  itemCounts: { author: 12, book: 1_234_567 },
  writtenCount: 1_000,
  resourceCount: 3,
  copiedBytes: 5_000_000,
  conflicts: { count: 0, first: [] },
  differences: { count: 0, first: [] },
  sha256: 'abc',
}
const listOf = (count: number) => ({ count, first: [{ model: 'book', id: 'dune' }] })

describe('the summary of a copy', () => {
  it('counts items and bytes', () => {
    expect(summaryOf(report).split('\n')).toEqual([
      'author: 12',
      'book: 1 234 567',
      'Wrote 1 000 of 1 234 579 items, and 5 000 000 bytes of files.',
      'Checked: 1 234 579 items and 3 files are the same, SHA-256 abc.',
    ])
    expect(problemsOf(report)).toEqual([])
  })

  it('names items with other content, and those that changed in the meantime', () => {
    const differing = { ...report, conflicts: listOf(1), differences: listOf(3) }
    expect(summaryOf(differing)).toContain('Checked: 3 of 1 234 579 items differ.')
    expect(problemsOf(differing)).toEqual([
      "The target has 1 of the items with other content, which were left alone: book 'dune'. Use --overwrite to write over them.",
      "2 items changed while they were copied. These differ: book 'dune' and 2 more. Run the command again.",
    ])
  })
})

describe('progress', () => {
  function printed(isTTY: boolean): string {
    let text = ''
    const write = (piece: string) => {
      text += piece
    }
    const print = progressPrinter({ isTTY, write })
    for (let itemCount = 0; itemCount <= 2_000; itemCount += 100)
      print({ stage: 'write', itemCount, totalCount: 2_000 })
    print({ stage: 'check', itemCount: 2_000, totalCount: 2_000 })
    return text
  }

  it('is a line for each tenth of the work where there is no terminal', () => {
    const lines = printed(false).trimEnd().split('\n')
    expect(lines).toHaveLength(12)
    expect(lines.slice(-2)).toEqual([
      'Writing: 2 000 of 2 000 items',
      'Checking: 2 000 of 2 000 items',
    ])
  })

  it('is a bar on a terminal, which is drawn over itself until a stage is over', () => {
    const text = printed(true)
    expect(text.split('\n').slice(0, -1)).toEqual([
      expect.stringMatching(/Writing █{30} 100 % {2}2 000 of 2 000 items$/),
      expect.stringMatching(/^\r.\[KChecking █{30} 100 % {2}2 000 of 2 000 items$/),
    ])
    expect(text.split('\r').length).toBeLessThan(21)
  })
})
