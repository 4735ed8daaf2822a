import type { ServerResponse } from 'node:http'
import type { Report } from './report.ts'

/** What sending takes besides the response. */
export interface Delivery {
  readonly report: Report
  /** How long a client may leave an answer unread. */
  readonly stalledMs: number
}

/** Sets the clock where an answer could not be handed over at once. Node stops it when the answer is out. */
export function watchReader({ req: { socket } }: ServerResponse, { stalledMs }: Delivery): void {
  if (socket.writableLength > 0) socket.setTimeout(stalledMs)
}
