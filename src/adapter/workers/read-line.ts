import type { Socket } from 'node:net'

const maxLineBytes = 1_024
const lineBreak = 0x0a

/**
 * The next line, without its line break; undefined if the connection ends before, the line is too
 * long, or comes too late. The other side sends nothing behind it until it has a response.
 */
export function readLine(socket: Socket, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0)
    const settle = (line?: string): void => {
      clearTimeout(timer)
      socket.off('data', onData).off('end', onEnd).off('close', onEnd)
      resolve(line)
    }
    const onEnd = (): void => settle()
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk])
      if (bytes.length > maxLineBytes) settle()
      else if (bytes.at(-1) === lineBreak) settle(bytes.toString('utf8', 0, bytes.length - 1))
    }
    const timer = setTimeout(onEnd, timeoutMs).unref()
    socket.on('data', onData).on('end', onEnd).on('close', onEnd)
  })
}
