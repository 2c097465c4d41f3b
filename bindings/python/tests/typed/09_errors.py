import graphwright as gw

message = ""
try:
    gw.bfs("path:3", 9)
except KeyError as error:
    message = str(error)
devices: dict[str, str] = gw.devices()
assert "9" in message and "cpu" in devices and issubclass(gw.ProgramError, gw.GraphwrightError)
