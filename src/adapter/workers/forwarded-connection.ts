import { connect, type Socket } from 'node:net'
import { isNonce, isProof, newNonce, type ProofSubject, proofOf } from './forwarding-proof.ts'
import { readLine } from './read-line.ts'

/** What an old worker says of its client before it sends a request to a new one. */
interface ClientAddress {
  readonly remoteAddress?: string | undefined
  readonly remoteFamily?: string | undefined
  readonly remotePort?: number | undefined
}

/** A new worker sends this line where it accepts the connection. Nothing else is sent before. */
const acceptance = 'accepted'

/** For both sides: they are on one machine. */
const lineTimeoutMs = 5_000

/**
 * A connection to the port of a new worker, as that of this client; undefined if it has none.
 *
 * Another program may have the port by now, and any program of the machine may connect to it. So
 * the old worker sends a nonce, the new one a nonce and its proof, and then the old one its proof
 * with the address of the client.
 */
export async function connectAs(client: Socket, port: number): Promise<Socket | undefined> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true })
  // Whoever uses the connection sees that it closes.
  socket.on('error', () => {})
  if (await introduce(socket, client, port)) return socket
  socket.destroy()
  return undefined
}

async function introduce(socket: Socket, client: Socket, port: number): Promise<boolean> {
  const oldNonce = newNonce()
  socket.write(`${oldNonce}\n`)
  const [nonce, proof] = (await readLine(socket, lineTimeoutMs))?.split(' ') ?? []
  if (!isNonce(nonce)) return false
  const subject: ProofSubject = { port, oldNonce, newNonce: nonce }
  if (!isProof(proof, 'new', subject)) return false
  const { remoteAddress, remoteFamily, remotePort } = client
  const address: ClientAddress = { remoteAddress, remoteFamily, remotePort }
  const text = JSON.stringify(address)
  socket.write(`${proofOf('old', subject, text)} ${text}\n`)
  return (await readLine(socket, lineTimeoutMs)) === acceptance
}

/**
 * Reads who the client of an old worker is, and gives the connection its address.
 * @param receive gets the connection, and returns whether it accepts it
 */
export async function acceptAs(
  socket: Socket,
  receive: (socket: Socket) => boolean,
): Promise<void> {
  socket.on('error', () => {})
  const address = await identify(socket)
  if (address === undefined || socket.destroyed) return void socket.destroy()
  const { remoteAddress, remoteFamily, remotePort } = address
  Object.defineProperties(socket, {
    remoteAddress: { value: remoteAddress },
    remoteFamily: { value: remoteFamily },
    remotePort: { value: remotePort },
  })
  if (receive(socket)) socket.write(`${acceptance}\n`)
  else socket.destroy()
}

/** Undefined for what no worker of this primary has sent. */
async function identify(socket: Socket): Promise<ClientAddress | undefined> {
  const oldNonce = await readLine(socket, lineTimeoutMs)
  const port = socket.localPort
  if (!isNonce(oldNonce) || port === undefined) return undefined
  const subject: ProofSubject = { port, oldNonce, newNonce: newNonce() }
  socket.write(`${subject.newNonce} ${proofOf('new', subject)}\n`)
  const line = await readLine(socket, lineTimeoutMs)
  if (line === undefined) return undefined
  const proofEnd = line.indexOf(' ')
  const text = line.slice(proofEnd + 1)
  if (!isProof(line.slice(0, Math.max(proofEnd, 0)), 'old', subject, text)) return undefined
  return JSON.parse(text) as ClientAddress
}
