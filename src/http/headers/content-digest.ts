/** The secure hash algorithms of RFC 9530. */
export type DigestAlgorithm = 'sha-256' | 'sha-512'

/** Digests in base64, by algorithm. */
export type Digests = ReadonlyMap<DigestAlgorithm, string>

const digestLengths: Readonly<Record<DigestAlgorithm, number>> = { 'sha-256': 32, 'sha-512': 64 }
const member =
  /[\t ]*([a-z*][a-z\d_\-.*]*)(?:=(?::([A-Za-z\d+/]*={0,2}):|(-?\d{1,15})))?((?:;[^,]*)?)[\t ]*(,|$)/y

/**
 * The digests of `Content-Digest` or `Repr-Digest` (RFC 9530 §2, §3). Unknown algorithms are
 * skipped; of a repeated algorithm the last counts (RFC 8941 §4.2.2). Undefined if the header is
 * malformed or a digest has the wrong length: the request is then refused, because the client wants
 * the digest to be checked.
 */
export function parseDigests(header: string): Digests | undefined {
  const digests = new Map<DigestAlgorithm, string>()
  for (const entry of membersOf(header) ?? [undefined]) {
    if (entry?.digest === undefined) return undefined
    if (!isSupported(entry.name)) continue
    const bytes = Buffer.from(entry.digest, 'base64')
    if (bytes.length !== digestLengths[entry.name]) return undefined
    digests.set(entry.name, bytes.toString('base64'))
  }
  return digests
}

/** The value of `Content-Digest` or `Repr-Digest` for a digest in hexadecimal. */
export function formatDigest(algorithm: DigestAlgorithm, hex: string): string {
  return `${algorithm}=:${Buffer.from(hex, 'hex').toString('base64')}:`
}

/**
 * Does `Want-Content-Digest` or `Want-Repr-Digest` ask for this algorithm, with a weight from 1 to
 * 10 (RFC 9530 §4)? A malformed header asks for nothing.
 */
export function wantsDigest(header: string | undefined, algorithm: DigestAlgorithm): boolean {
  const members = header === undefined ? undefined : membersOf(header)
  const weight = members?.findLast(({ name }) => name === algorithm)?.weight
  return weight !== undefined && weight > 0 && weight <= 10
}

interface Member {
  readonly name: string
  readonly digest: string | undefined
  readonly weight: number | undefined
}

/** The members of a dictionary (RFC 8941 §3.2) of byte sequences or integers. */
function membersOf(header: string): readonly Member[] | undefined {
  const members: Member[] = []
  let at = 0
  for (;;) {
    member.lastIndex = at
    const [, name, digest, weight, , end] = member.exec(header) ?? []
    if (name === undefined) return undefined
    members.push({ name, digest, weight: weight === undefined ? undefined : Number(weight) })
    if (end === '') return members
    at = member.lastIndex
  }
}

function isSupported(name: string): name is DigestAlgorithm {
  return Object.hasOwn(digestLengths, name)
}
