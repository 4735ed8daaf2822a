import type { ServerResponse } from 'node:http'
import type { ApiResponse } from '../http/api-response.ts'
import { sendResponse } from './node-response.ts'
import { isConnection } from './node-signal.ts'
import type { SendContext } from './node-watch-reader.ts'
import { toProblemResponse } from './problem-response.ts'
import { closeUnsentBody } from './stream-body.ts'
import { noteErrors } from './trace/note-errors.ts'
import type { ServerTrace } from './trace/server-trace.ts'

/**
 * Sends the response, or an error response if it cannot be sent. It never rejects. Returns a
 * promise only where sending takes time.
 */
export function sendOrReplace(
  res: ServerResponse,
  response: ApiResponse,
  close: boolean,
  context: SendContext,
  trace: ServerTrace | undefined,
): Promise<void> | undefined {
  const sending = trace ? { ...context, onError: noteErrors(context.onError, trace) } : context
  const replace = (error: unknown): Promise<void> => {
    closeUnsentBody(response, context.onError)
    return sendErrorResponse(res, error, close, context, trace)
  }
  try {
    return sendResponse(res, response, close, sending)?.catch(replace)
  } catch (error) {
    return replace(error)
  }
}

/** Replaces a response that cannot be sent, such as one with a line break in a header. */
async function sendErrorResponse(
  res: ServerResponse,
  error: unknown,
  close: boolean,
  context: SendContext,
  trace: ServerTrace | undefined,
): Promise<void> {
  // Clears the status message of the replaced response.
  res.statusMessage = ''
  try {
    const response = toProblemResponse(error, context.onError, trace)
    await sendResponse(res, trace ? trace.respond(response) : response, close, context)
  } catch {
    const { socket } = res.req
    if (isConnection(socket)) socket.destroy()
    else res.destroy()
  }
}
