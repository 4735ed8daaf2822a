import { countOf, formatNumber } from '../../text/message-text.ts'
import type { MoveProgress } from '../moving/move-options.ts'

/** Where progress is shown, such as the standard error of a process. */
export interface ProgressOutput {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const stages = { write: 'Writing', relate: 'Relating', check: 'Checking' } as const
const barLength = 30
const redrawMs = 100

/** Shows a bar on a terminal, and else a line for each tenth of the work. */
export function progressPrinter(output: ProgressOutput): (progress: MoveProgress) => void {
  return output.isTTY ? barPrinter(output) : linePrinter(output)
}

function barPrinter(output: ProgressOutput): (progress: MoveProgress) => void {
  let drawnAt = 0
  return ({ stage, itemCount, totalCount }) => {
    const isOver = itemCount >= totalCount
    if (!isOver && Date.now() - drawnAt < redrawMs) return
    drawnAt = Date.now()
    const share = shareOf(itemCount, totalCount)
    const bar = '█'.repeat(Math.floor(share * barLength)).padEnd(barLength, '░')
    const percent = String(Math.floor(share * 100)).padStart(3)
    output.write(
      `\r\u001B[K${stages[stage]} ${bar} ${percent} %  ${formatNumber(itemCount)} of ${countOf(totalCount, 'item')}${isOver ? '\n' : ''}`,
    )
  }
}

function linePrinter(output: ProgressOutput): (progress: MoveProgress) => void {
  let printed = ''
  return ({ stage, itemCount, totalCount }) => {
    const tenth = Math.floor(shareOf(itemCount, totalCount) * 10)
    if (printed === `${stage} ${tenth}`) return
    printed = `${stage} ${tenth}`
    output.write(`${stages[stage]}: ${formatNumber(itemCount)} of ${countOf(totalCount, 'item')}\n`)
  }
}

/** Items may be added while they are copied. */
function shareOf(itemCount: number, totalCount: number): number {
  return totalCount === 0 ? 1 : Math.min(1, itemCount / totalCount)
}
