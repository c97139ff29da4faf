import { BlockList, isIPv6 } from 'node:net'

/** Where an address lies, as seen from this machine. `reserved` ones are nobody's: no server can be there. */
export type Zone = 'public' | 'private' | 'loopback' | 'link-local' | 'reserved'

export function zoneOf(address: string): Zone {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return zones.find(({ v4 }) => v4.check(plain, 'ipv4'))?.zone ?? 'public'
  const inside = v4Inside(plain)
  if (inside !== undefined) return zoneOf(inside)
  return zones.find(({ v6 }) => v6.check(plain, 'ipv6'))?.zone ?? 'public'
}

const zones = [
  zone('loopback', ['127.0.0.0/8'], ['::1/128']),
  zone('link-local', ['169.254.0.0/16'], ['fe80::/10']),
  zone('private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'], ['fc00::/7', 'fec0::/10']),
  zone(
    'reserved',
    [
      '0.0.0.0/8',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '224.0.0.0/4',
      '240.0.0.0/4',
    ],
    ['::/128', '100::/64', '2001::/32', '2001:db8::/32', 'ff00::/8'],
  ),
]

function zone(name: Zone, v4: readonly string[], v6: readonly string[]) {
  return { zone: name, v4: blockList(v4, 'ipv4'), v6: blockList(v6, 'ipv6') }
}

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [start = '', bits] = range.split('/')
    list.addSubnet(start, Number(bits), family)
  }
  return list
}

/** The IPv4 address that an IPv6 address only wraps: mapped, translated (NAT64) and 6to4 addresses lead to it. */
function v4Inside(address: string): string | undefined {
  const groups = groupsOf(address)
  const start = groups.slice(0, 6).join(':')
  if (['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0'].includes(start)) return dotted(groups.slice(6))
  // `::1` and `::` are addresses of their own; what else begins with nothing is the oldest form of wrapping.
  if (start === '0:0:0:0:0:0' && groups[6] !== '0') return dotted(groups.slice(6))
  if (groups[0] === '2002') return dotted(groups.slice(1, 3))
  return undefined
}

/** The eight groups of an IPv6 address, in their shortest writing. */
function groupsOf(address: string): readonly string[] {
  // The URL parser writes a dotted end as two groups.
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = written.split('::')
  const parts = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'))
  const left = parts(head)
  const right = parts(tail)
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right]
}

function dotted(groups: readonly string[]): string {
  return groups
    .flatMap((group) => {
      const value = Number.parseInt(group, 16)
      return [value >> 8, value & 255]
    })
    .join('.')
}
