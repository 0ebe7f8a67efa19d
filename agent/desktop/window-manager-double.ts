import { XConnection } from '../display/x11.ts'

/** Says on the display that it manages windows, and manages none. For tests where no window manager is installed. */
const connection = await XConnection.open({
  DISPLAY: process.env['DISPLAY'] ?? '',
  XAUTHORITY: process.env['XAUTHORITY'],
})
const [mark, windowType] = [await connection.atom('_NET_SUPPORTING_WM_CHECK'), 33]
const body = Buffer.alloc(24)
body.writeUInt32LE(connection.root, 0)
body.writeUInt32LE(mark, 4)
body.writeUInt32LE(windowType, 8)
body[12] = 32
body.writeUInt32LE(1, 16)
body.writeUInt32LE(connection.window, 20)
connection.send(18, 0, body)
connection.onClose = () => process.exit(1)
