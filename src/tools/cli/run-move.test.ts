import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { model } from '../../index.ts'
import type { MoveReport } from '../moving/move-options.ts'
import { progressPrinter } from './print-progress.ts'
import { leftBehind, problemsOf, summaryOf } from './run-move.ts'

const report: MoveReport = {
  itemCounts: { author: 12, book: 1_234_567 },
  writtenCount: 1_000,
  resourceCount: 3,
  copiedBytes: 5_000_000,
  conflicts: { count: 0, first: [] },
  differences: { count: 0, first: [] },
  missedCount: 0,
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
    const differences = { count: 3, first: [...listOf(1).first, { model: 'book', id: 'emma' }] }
    const differing = { ...report, conflicts: listOf(1), differences }
    expect(summaryOf(differing)).toContain('Checked: 3 of 1 234 579 items differ.')
    expect(problemsOf(differing)).toEqual([
      "The target has other content for 1 item, and keeps it: book 'dune'. Use --overwrite to write over it.",
      "Different in the copy: 2 items, book 'emma' and 1 more. Something else wrote to one of the stores meanwhile, or the target does not keep the values as they are. Stop writes, and run the command again.",
    ])
  })

  it('says how many items of the source were not copied, and then not that all are the same', () => {
    const missing = { ...report, missedCount: 1 }
    expect(summaryOf(missing)).not.toContain('are the same')
    expect(problemsOf(missing)).toEqual([
      'Not copied: 1 item of the source, such as items that were added meanwhile. Stop writes, and run the command again.',
    ])
  })

  it('says one item', () => {
    const one = { ...report, itemCounts: { book: 1 }, writtenCount: 1, resourceCount: 1 }
    expect(summaryOf(one).split('\n').slice(1)).toEqual([
      'Wrote 1 of 1 item, and 5 000 000 bytes of files.',
      'Checked: 1 item and 1 file are the same, SHA-256 abc.',
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

it('says what a copy does not have, where a model keeps more than items', () => {
  const Plain = model('plain', { text: z.string() })
  const Note = model('note', { text: z.string() }, { history: true })
  const Card = model('card', { text: z.string() }, { trash: true })
  expect(leftBehind([Plain])).toEqual([])
  expect(leftBehind([Plain, Note, Card])).toEqual([
    "Not copied: former versions and deleted items of 'note' and 'card', and the log of changes.",
  ])
})
